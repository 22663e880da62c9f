#include "models/blocks/head_part.h"

#include "models/blocks/vector_operators.h"

namespace a3sim {

void add_head(BlockBuilder& builder, bool owns_weights) {
  const ModelShape& model = builder.model();
  const BlockLayout& layout = builder.layout();
  const double row = builder.own_tokens() * model.hidden;
  const std::uint32_t columns = (model.vocabulary + layout.tp - 1) / layout.tp;
  const double logits = builder.tokens() * columns;
  builder.at(BlockPart::kAttention);
  builder.in_model_type();
  builder.keep_input("head.input", row * builder.element());
  add_residual_norm(builder, "head.norm", builder.own_tokens(), model.hidden);
  builder.parameters(model.hidden);
  builder.keep("head.norm", row * builder.element(), {RecomputeKind::kNorm});
  builder.gather("head", model.hidden);
  builder.product("head", layout.tokens(), model.hidden, columns);
  if (!owns_weights) builder.parameters(-1.0 * model.hidden * columns);
  add_loss(builder, logits);
  builder.keep("logits", logits * (layout.fuses(Fusion::kLoss) ? builder.element() : 4));
  builder.model_flops(6.0 * model.hidden * model.vocabulary);
}

}  // namespace a3sim
