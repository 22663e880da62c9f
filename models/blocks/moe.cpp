#include "models/blocks/attention_part.h"
#include "models/blocks/experts_part.h"
#include "models/blocks/feed_forward_part.h"

namespace a3sim {
namespace {

class MoeBlock final : public BlockKind {
 public:
  explicit MoeBlock(Reach reach) : reach_(reach) {}
  std::string_view missing(const ModelShape& model) const override {
    const std::string_view experts = missing_for_experts(model);
    return experts.empty() ? missing_for_attention(model, reach_) : experts;
  }
  Block block(const ModelShape& model, const BlockLayout& layout) const override {
    BlockBuilder builder(model, layout);
    add_attention(builder, reach_);
    add_feed_forward_norm(builder, true);
    add_experts(builder);
    return std::move(builder).finish();
  }

 private:
  Reach reach_;
};

A3SIM_REGISTER(BlockKind, "moe", "attention, a router, routed and shared experts", MoeBlock(Reach::kAll));
A3SIM_REGISTER(BlockKind, "windowed_moe",
               "attention to the last keys alone, a router, routed and shared experts",
               MoeBlock(Reach::kWindow));

}  // namespace
}  // namespace a3sim
