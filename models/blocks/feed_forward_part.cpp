#include "models/blocks/feed_forward_part.h"

#include "models/blocks/vector_operators.h"

namespace a3sim {

void add_feed_forward_norm(BlockBuilder& builder, bool routed) {
  const double row = builder.own_tokens() * builder.model().hidden;
  builder.at(BlockPart::kAttention);
  builder.keep("feed_forward.input", row * builder.element());
  add_residual_norm(builder, "feed_forward.norm", builder.own_tokens(), builder.model().hidden);
  builder.parameters(builder.model().hidden);
  builder.keep("feed_forward.norm", row * (routed ? builder.element() : builder.operand()),
               {RecomputeKind::kNorm});
}

void add_feed_forward(BlockBuilder& builder, const std::string& name, std::uint32_t width) {
  const BlockLayout& layout = builder.layout();
  const std::uint32_t own = (width + layout.tp - 1) / layout.tp, hidden = builder.model().hidden;
  const double elements = builder.tokens() * own;
  builder.gather(name, hidden);
  const std::uint32_t first = builder.model().first_columns();
  const std::string up = name + (first == 2 ? ".gate_up" : ".up"),
                    activation = name + (first == 2 ? ".swiglu" : ".relu2");
  builder.product(up, layout.tokens(), hidden, std::uint64_t{first} * own);
  builder.keep(up, first * elements * builder.element());
  add_activation(builder, activation, elements);
  builder.keep(activation, elements * builder.operand(), {RecomputeKind::kActivation});
  builder.product(name + ".down", layout.tokens(), own, hidden);
  builder.scatter(name, hidden);
  builder.model_flops(6.0 * (first + 1) * hidden * width);  // 6 for each weight of three matrices, or two
}

}  // namespace a3sim
