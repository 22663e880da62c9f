#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/shape.h"
#include "sim/core/enum_names.h"

namespace a3sim {

// Says where the scales of operands come from when layers multiply in eight bits, as the recipes of TransformerEngine
// and Megatron-LM have it.
enum class Fp8Recipe : std::uint8_t {
  kNone,        // layers multiply in the model's type
  kDelayed,     // one scale per tensor, from the largest elements of former steps
  kTensorwise,  // one scale per tensor, from its own largest element, which a kernel finds first
  kBlockwise    // one scale per 128 elements, or per 32 of MXFP8
};
constexpr auto names_of(Fp8Recipe) {
  return std::to_array<std::string_view>({"none", "delayed", "tensorwise", "blockwise"});
}

// Returns the type of the operands. Four bytes of scale per 128 elements take as much as MXFP8's one per 32.
constexpr DataType operand_type(Fp8Recipe recipe) {
  return recipe == Fp8Recipe::kBlockwise ? DataType::kMxfp8 : DataType::kFp8E4m3;
}
// True for operands whose products leave the cube in 16 bits or more.
constexpr bool is_fp8(DataType type) {
  return type == DataType::kFp8E4m3 || type == DataType::kFp8E5m2 || type == DataType::kHif8 ||
         type == DataType::kMxfp8;
}

}  // namespace a3sim
