#include "models/blocks/attention_part.h"
#include "models/blocks/experts_part.h"
#include "models/blocks/feed_forward_part.h"
#include "models/blocks/head_part.h"
#include "models/blocks/vector_operators.h"

namespace a3sim {
namespace {

// Predicts a further token: the normalised hidden state and the normalised embedding of the next token are
// projected together to one width, then pass a layer like the model's last, and the head. Table and head are
// the model's own.
class MtpBlock final : public BlockKind {
 public:
  std::string_view missing(const ModelShape& model) const override {
    if (model.vocabulary == 0) return "vocabulary";
    if (model.experts.count == 0 && model.dense_intermediate == 0) return "experts";
    return missing_for_attention(model);
  }
  Block block(const ModelShape& model, const BlockLayout& layout) const override {
    BlockBuilder builder(model, layout);
    add_projection(builder);
    add_attention(builder);
    add_feed_forward_norm(builder, model.experts.count > 0);
    if (model.experts.count > 0) {
      add_experts(builder);
    } else {
      builder.at(BlockPart::kExperts, {RecomputeKind::kMlp});
      add_feed_forward(builder, "feed_forward", model.dense_intermediate);
    }
    add_head(builder, false);
    return std::move(builder).finish();
  }

 private:
  // Each die has its own rows and, as in the router, whole weights.
  static void add_projection(BlockBuilder& builder) {
    const ModelShape& model = builder.model();
    const double row = builder.own_tokens() * model.hidden;
    builder.at(BlockPart::kAttention);
    builder.keep_input("mtp.input", row * builder.element());
    const double element = builder.element();
    const ElementwiseKernel take{element, element, 0, 0, 0}, add{element + 4, 4, 1, 1, 0};
    builder.vector("mtp.embedding", row, {&take, 1}, {&add, 1});
    add_norm(builder, "mtp.norm", 2 * builder.own_tokens(), model.hidden);
    builder.parameters(2.0 * model.hidden);
    builder.keep("mtp.norm", 2 * row * builder.operand(), {RecomputeKind::kNorm});
    builder.product("mtp.projection", builder.layout().own_tokens(), std::uint64_t{2} * model.hidden,
                    model.hidden);
    builder.model_flops(6.0 * 2.0 * model.hidden * model.hidden);
  }
};

A3SIM_REGISTER(BlockKind, "mtp", "a layer that predicts a further token, with its projection and head",
               MtpBlock);

}  // namespace
}  // namespace a3sim
