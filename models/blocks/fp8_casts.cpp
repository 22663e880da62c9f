#include "models/blocks/fp8_casts.h"

namespace a3sim {
namespace {

constexpr double kWide = element_bytes(DataType::kBf16), kPlain = element_bytes(DataType::kFp8E4m3),
                 kScaled = element_bytes(DataType::kMxfp8);

// To fp32, absolute value, maximum; a product, and the type, which both copies share if the scale is the tensor's.
constexpr std::array kDelayedPasses{ElementwiseKernel{kWide, 2 * kPlain, 3, 2, 0}};
constexpr std::array kTensorwisePasses{ElementwiseKernel{kWide, 0, 2, 1, 0},
                                       ElementwiseKernel{kWide, 2 * kPlain, 1, 2, 0}};
// Blocks along rows and along columns have other scales.
constexpr std::array kBlockwisePasses{ElementwiseKernel{kWide, 2 * kScaled, 6, 3, 0}};

}  // namespace

std::span<const ElementwiseKernel> cast_passes(Fp8Recipe recipe) {
  switch (recipe) {
    case Fp8Recipe::kNone:
      return {};
    case Fp8Recipe::kDelayed:
      return kDelayedPasses;
    case Fp8Recipe::kTensorwise:
      return kTensorwisePasses;
    case Fp8Recipe::kBlockwise:
      return kBlockwisePasses;
  }
  return {};
}

ElementwiseKernel cast_pass(Fp8Recipe recipe) {
  return {kWide, element_bytes(operand_type(recipe)), 3, 2, 0};
}

ElementwiseKernel turn_pass(Fp8Recipe recipe) {
  const double element = element_bytes(operand_type(recipe));
  return {element, element, 3, 2, 0};
}

}  // namespace a3sim
