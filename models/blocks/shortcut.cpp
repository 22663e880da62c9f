#include "models/blocks/attention_part.h"
#include "models/blocks/experts_part.h"
#include "models/blocks/feed_forward_part.h"

namespace a3sim {
namespace {

// Attention and a dense network twice, with experts that take the first attention's result and whose sum is added at the end
// (LongCat-Flash), so that their exchanges may run beside all that follows.
class ShortcutBlock final : public BlockKind {
 public:
  std::string_view missing(const ModelShape& model) const override {
    if (const std::string_view experts = missing_for_experts(model); !experts.empty()) return experts;
    return model.dense_intermediate == 0 ? "dense_intermediate" : missing_for_attention(model);
  }
  Block block(const ModelShape& model, const BlockLayout& layout) const override {
    BlockBuilder builder(model, layout);
    add_half(builder);
    add_half(builder);
    add_experts(builder);
    return std::move(builder).finish();
  }

 private:
  static void add_half(BlockBuilder& builder) {
    add_attention(builder);
    add_feed_forward_norm(builder, true);
    builder.at(BlockPart::kAttention, {RecomputeKind::kMlp});
    add_feed_forward(builder, "feed_forward", builder.model().dense_intermediate);
  }
};

A3SIM_REGISTER(BlockKind, "shortcut", "attention and a dense network twice, with experts beside them",
               ShortcutBlock);

}  // namespace
}  // namespace a3sim
