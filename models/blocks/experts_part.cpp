#include "models/blocks/experts_part.h"

#include "models/blocks/feed_forward_part.h"
#include "models/blocks/fp8_casts.h"
#include "models/blocks/vector_operators.h"

namespace a3sim {
namespace {

// Adds the products that make a token's rows narrow before they go to experts, and their sum wide again. Both
// stand before the experts, since what follows them has no part of its own.
void add_latent_projections(BlockBuilder& builder, std::uint64_t tokens) {
  const std::uint32_t hidden = builder.model().hidden, latent = builder.model().experts.latent;
  const double narrow = static_cast<double>(tokens) * latent * builder.element();
  builder.product("experts.latent_down", tokens, hidden, latent);
  builder.product("experts.latent_up", tokens, latent, hidden);
  builder.keep("experts.latent", 2 * narrow);
  builder.model_flops(6.0 * 2 * hidden * latent);
}

}  // namespace

void add_experts(BlockBuilder& builder) {
  using enum RecomputeKind;
  const ModelShape& model = builder.model();
  const ModelShape::Experts& experts = model.experts;
  const BlockLayout& layout = builder.layout();
  const std::uint64_t tokens = (layout.tokens() + layout.tp - 1) / layout.tp;  // each die brings its part
  const double own = builder.own_tokens();
  // Dies that share an expert's products each have all of their rows, and their part of its columns.
  const double rows = static_cast<double>(tokens) * experts.top_k * layout.etp * layout.fill;
  const double columns = 1.0 * experts.intermediate / layout.etp;

  builder.at(BlockPart::kAttention, {kMoe});
  // The router computes in fp32 from the hidden state in 16 bits.
  const ElementwiseKernel to_fp32{builder.element(), 4, 0, 1, 0}, back{4, builder.element(), 0, 1, 0};
  builder.vector("router.cast", own * model.hidden, {&to_fp32, 1}, {&back, 1});
  builder.product_fp32("router", layout.own_tokens(), model.hidden, experts.count);
  add_router_choice(builder, own);
  builder.keep("router", own * experts.count * 4);

  const std::uint32_t width = model.expert_hidden(), first = model.first_columns();
  if (experts.latent > 0) add_latent_projections(builder, tokens);
  if (layout.fp8_dispatch) {
    const ElementwiseKernel cast = cast_pass(layout.fp8);
    builder.vector("experts.cast", static_cast<double>(tokens) * width, {&cast, 1}, {&cast, 1});
  }
  builder.experts(
      {tokens, width, experts.intermediate, experts.count, experts.top_k, model.dtype, model.gated});
  builder.expert_parameters((first + 1.0) * width * experts.intermediate * experts.count);
  // With balanced experts as many rows arrive as leave. Weights are applied at SwiGLU, so results are not
  // kept.
  builder.keep("experts.input", rows * width * builder.operand());
  builder.keep("experts.gate_up", first * rows * columns * builder.element());
  builder.keep("experts.swiglu", rows * columns * builder.operand(), {kActivation});

  builder.model_flops(6.0 * (1.0 * model.hidden * experts.count +
                             (first + 1.0) * width * experts.intermediate * experts.top_k));
  if (experts.shared_intermediate == 0) return;
  builder.at(BlockPart::kShared, {kMoe});
  if (builder.operand() < builder.element())
    builder.keep("shared.input", own * model.hidden * builder.operand());
  add_feed_forward(builder, "shared", experts.shared_intermediate);
  // Its result is added to that of the routed experts.
  const ElementwiseKernel add{2 * builder.element(), builder.element(), 1, 3, 0};
  builder.vector("shared.add", own * model.hidden, {&add, 1}, {});
}

std::string_view missing_for_experts(const ModelShape& model) {
  return model.experts.count == 0 ? "experts" : "";
}

}  // namespace a3sim
