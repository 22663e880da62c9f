#include "models/blocks/attention_part.h"
#include "models/blocks/feed_forward_part.h"

namespace a3sim {
namespace {

class DenseBlock final : public BlockKind {
 public:
  explicit DenseBlock(Reach reach) : reach_(reach) {}
  std::string_view missing(const ModelShape& model) const override {
    return model.dense_intermediate == 0 ? "dense_intermediate" : missing_for_attention(model, reach_);
  }
  Block block(const ModelShape& model, const BlockLayout& layout) const override {
    BlockBuilder builder(model, layout);
    add_attention(builder, reach_);
    add_feed_forward_norm(builder, false);
    builder.at(BlockPart::kExperts, {RecomputeKind::kMlp});
    add_feed_forward(builder, "feed_forward", model.dense_intermediate);
    return std::move(builder).finish();
  }

 private:
  Reach reach_;
};

A3SIM_REGISTER(BlockKind, "dense", "attention and a feed-forward network", DenseBlock(Reach::kAll));
A3SIM_REGISTER(BlockKind, "windowed_dense", "attention to the last keys alone, and a feed-forward network",
               DenseBlock(Reach::kWindow));

}  // namespace
}  // namespace a3sim
