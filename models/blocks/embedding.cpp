#include "models/blocks/block_builder.h"

namespace a3sim {
namespace {

// Looks up a row of the vocabulary's table for each token. A TP group splits the vocabulary and sums what its
// dies find.
class EmbeddingBlock final : public BlockKind {
 public:
  std::string_view missing(const ModelShape& model) const override {
    return model.vocabulary == 0 ? "vocabulary" : "";
  }
  bool is_layer() const override { return false; }
  Block block(const ModelShape& model, const BlockLayout& layout) const override {
    BlockBuilder builder(model, layout);
    builder.at(BlockPart::kAttention);
    builder.in_model_type();
    // Gradients of rows are added to the table's gradient in fp32.
    const double element = builder.element();
    const ElementwiseKernel take{element, element, 0, 0, 0}, add{element + 4, 4, 1, 1, 0};
    builder.vector("embedding", builder.tokens() * model.hidden, {&take, 1}, {&add, 1});
    builder.scatter("embedding", model.hidden);
    const std::uint32_t words = (model.vocabulary + layout.tp - 1) / layout.tp;
    builder.parameters(1.0 * words * model.hidden);
    builder.keep_input("tokens", builder.tokens() * 8);
    return std::move(builder).finish();
  }
};

A3SIM_REGISTER(BlockKind, "embedding", "a row of the vocabulary's table for each token", EmbeddingBlock);

}  // namespace
}  // namespace a3sim
