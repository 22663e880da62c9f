#include "models/blocks/head_part.h"

namespace a3sim {
namespace {

class HeadBlock final : public BlockKind {
 public:
  std::string_view missing(const ModelShape& model) const override {
    return model.vocabulary == 0 ? "vocabulary" : "";
  }
  bool is_layer() const override { return false; }
  Block block(const ModelShape& model, const BlockLayout& layout) const override {
    BlockBuilder builder(model, layout);
    add_head(builder, !model.tied);
    return std::move(builder).finish();
  }
};

A3SIM_REGISTER(BlockKind, "head", "the product with the vocabulary, and the loss", HeadBlock);

}  // namespace
}  // namespace a3sim
