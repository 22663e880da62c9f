#include "models/blocks/vector_operators.h"

#include <array>
#include <cmath>

namespace a3sim {
namespace {

using enum RecomputeKind;

// An operator fused into one kernel forward and one backward, for elements of two bytes.
struct FusedOperator {
  ElementwiseKernel forward, backward;
};

void add_operator(BlockBuilder& builder, const std::string& name, double elements, bool fused,
                  const FusedOperator& one, std::span<const ElementwiseKernel> forward,
                  std::span<const ElementwiseKernel> backward, RecomputeKinds also = {}, double width = 0) {
  if (fused)
    builder.vector(name, elements, {&one.forward, 1}, {&one.backward, 1}, also, width);
  else
    builder.vector(name, elements, forward, backward, also, width);
}

// Convert to fp32, square, mean, multiply by its root, convert to 16 bits, multiply by the weight.
constexpr std::array kNormSteps{ElementwiseKernel{2, 4, 0, 1, 0}, ElementwiseKernel{4, 4, 1, 0, 0},
                                ElementwiseKernel{4, 0, 1, 0, 0}, ElementwiseKernel{4, 4, 1, 0, 0},
                                ElementwiseKernel{4, 2, 0, 1, 0}, ElementwiseKernel{2, 2, 1, 2, 0}};
// The gradient: two products per multiplication, a sum over the row, and two sums.
constexpr std::array kNormGradientSteps{ElementwiseKernel{4, 2, 1, 2, 0}, ElementwiseKernel{4, 0, 1, 2, 0},
                                        ElementwiseKernel{2, 4, 0, 1, 0}, ElementwiseKernel{8, 0, 1, 0, 0},
                                        ElementwiseKernel{4, 4, 1, 0, 0}, ElementwiseKernel{4, 4, 1, 0, 0},
                                        ElementwiseKernel{8, 4, 1, 0, 0}, ElementwiseKernel{4, 2, 0, 1, 0}};
// Instructions on a row that each wait for the one before: to fp32, square, mean (a sum over lanes takes
// three), epsilon, root, division, its copy, product, to 16 bits, product with the weight. Backward: two such
// sums and one more product.
constexpr std::uint32_t kNormChain = 12, kNormGradientChain = 20;
// Narrower rows are normalised several at a time: SMALL_REDUCE_NUM of RmsNorm's tiling in CANN's ops-nn.
constexpr double kNarrowRow = 2000;
std::uint32_t norm_chain(double width, std::uint32_t steps) { return width <= kNarrowRow ? 0 : steps; }
constexpr ElementwiseKernel kResidualAdd{4, 2, 1, 3, 0};

}  // namespace

ElementwiseKernel norm_pass(double width) { return {2, 2, 4, 2, 0, norm_chain(width, kNormChain)}; }

void add_norm(BlockBuilder& builder, const std::string& name, double rows, double width) {
  add_operator(builder, name, rows * width, builder.layout().fuses(Fusion::kNorm),
               {norm_pass(width), {4, 2, 9, 3, 0, norm_chain(width, kNormGradientChain)}}, kNormSteps,
               kNormGradientSteps, {kNorm}, width);
}

void add_residual_norm(BlockBuilder& builder, const std::string& name, double rows, double width) {
  if (builder.layout().fuses(Fusion::kResidualNorm)) {
    const ElementwiseKernel forward{4, 4, 5, 4, 0, norm_chain(width, kNormChain + 2)},
        backward{6, 2, 10, 4, 0, norm_chain(width, kNormGradientChain + 1)};
    builder.vector(name, rows * width, {&forward, 1}, {&backward, 1}, {kNorm}, width);
    return;
  }
  // Backward: the gradient that bypasses the norm and the norm's own are added.
  builder.vector(name + ".residual", rows * width, {&kResidualAdd, 1}, {&kResidualAdd, 1});
  add_norm(builder, name, rows, width);
}

void add_rope(BlockBuilder& builder, double elements) {
  // Negate half of the elements, join both halves, two products, a sum.
  constexpr std::array kSteps{ElementwiseKernel{1, 1, 0.5, 1, 0}, ElementwiseKernel{2, 2, 0, 0, 0},
                              ElementwiseKernel{2, 2, 1, 2, 0}, ElementwiseKernel{2, 2, 1, 2, 0},
                              kResidualAdd};
  add_operator(builder, "rope", elements, builder.layout().fuses(Fusion::kRope),
               {{2, 2, 3, 2, 0}, {2, 2, 3, 2, 0}}, kSteps, kSteps);
}

void add_activation(BlockBuilder& builder, const std::string& name, double elements) {
  if (!builder.model().gated) {
    // The larger of it and zero, and its square. Backward: twice the larger, times the gradient.
    constexpr std::array kSquare{ElementwiseKernel{2, 2, 1, 2, 0}, ElementwiseKernel{2, 2, 1, 2, 0}};
    constexpr std::array kSquareGradient{ElementwiseKernel{2, 2, 1, 2, 0}, ElementwiseKernel{2, 2, 1, 2, 0},
                                         ElementwiseKernel{4, 2, 1, 3, 0}};
    return add_operator(builder, name, elements, builder.layout().fuses(Fusion::kSwiglu),
                        {{2, 2, 2, 2, 0}, {4, 2, 3, 3, 0}}, kSquare, kSquareGradient, {kActivation});
  }
  constexpr std::array kSteps{ElementwiseKernel{2, 2, 1, 2, 2}, ElementwiseKernel{4, 2, 1, 3, 0}};
  constexpr std::array kGradientSteps{ElementwiseKernel{4, 2, 1, 3, 0}, ElementwiseKernel{4, 2, 1, 3, 0},
                                      ElementwiseKernel{4, 2, 6, 3, 2}, ElementwiseKernel{4, 4, 0, 0, 0}};
  // The same instructions as the operators SwiGLU and SwiGLUGrad of taskflows.
  add_operator(builder, name, elements, builder.layout().fuses(Fusion::kSwiglu),
               {{4, 2, 3, 3, 2}, {6, 4, 9, 5, 2}}, kSteps, kGradientSteps, {kActivation});
}

void add_router_choice(BlockBuilder& builder, double tokens) {
  const ModelShape::Experts& experts = builder.model().experts;
  // Scores in fp32, and a sort with as many comparisons as a merge of pairs makes.
  const double sort = std::log2(std::max(2.0, 1.0 * experts.count));
  const FusedOperator one{{4, 4, 3 + sort, 0, 2}, {8, 4, 6, 0, 0}};
  const std::array steps{ElementwiseKernel{4, 4, 3, 0, 2}, ElementwiseKernel{4, 0, sort, 0, 0},
                         ElementwiseKernel{0, 4, 0, 0, 0}, ElementwiseKernel{8, 4, 1, 0, 0},
                         ElementwiseKernel{4, 0, 1, 0, 0}, ElementwiseKernel{4, 4, 0, 0, 1}};
  const std::array gradient{ElementwiseKernel{8, 4, 2, 0, 1}, ElementwiseKernel{8, 4, 1, 0, 0},
                            ElementwiseKernel{8, 4, 3, 0, 0}};
  add_operator(builder, "router.choice", tokens * experts.count, builder.layout().fuses(Fusion::kRouter), one,
               steps, gradient);
}

void add_loss(BlockBuilder& builder, double logits) {
  // Convert to fp32, find the largest, subtract it, exponentials, their sum, probabilities. Backward: a
  // product and a conversion.
  constexpr std::array kSteps{ElementwiseKernel{2, 4, 0, 1, 0}, ElementwiseKernel{4, 0, 1, 0, 0},
                              ElementwiseKernel{4, 4, 1, 0, 0}, ElementwiseKernel{4, 4, 0, 0, 1},
                              ElementwiseKernel{4, 0, 1, 0, 0}, ElementwiseKernel{4, 4, 0, 0, 1}};
  constexpr std::array kGradientSteps{ElementwiseKernel{4, 4, 1, 0, 0}, ElementwiseKernel{4, 2, 0, 1, 0}};
  // The largest and the sum of exponentials take one read each; backward the probabilities are read once
  // more.
  add_operator(builder, "loss", logits, builder.layout().fuses(Fusion::kLoss),
               {{4, 0, 3, 2, 1}, {2, 2, 2, 2, 1}}, kSteps, kGradientSteps);
}

}  // namespace a3sim
