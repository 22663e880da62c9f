#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/blocks/block.h"

namespace a3sim {

// One kernel of elementwise work: bytes that it reads and writes for an element, and instructions.
struct VectorPass {
  double read = 0, written = 0;
  double simple = 0, convert = 0, transcendental = 0;
  std::uint32_t steps = 0;  // of a reduction over rows: instructions on a row that wait for one another
};

// Writes a block operator by operator, forward; their gradients come out in reverse order.
class BlockBuilder {
 public:
  // The model must outlive it.
  BlockBuilder(const ModelShape& model, const BlockLayout& layout) : model_(model), layout_(layout) {}

  const ModelShape& model() const { return model_; }
  const BlockLayout& layout() const { return layout_; }
  // Bytes of an element of the model's type.
  double element() const { return element_bytes(model_.dtype); }
  double tokens() const { return static_cast<double>(layout_.tokens()); }
  double own_tokens() const { return static_cast<double>(layout_.own_tokens()); }

  // The part and the kinds of recompute of all that is added from now on.
  void at(BlockPart part, RecomputeKinds recompute = {});

  // rows x k by weights k x n, with both gradients. The weights are this die's.
  void product(const std::string& name, std::uint64_t rows, std::uint64_t k, std::uint64_t n);
  // The same in fp32, whose gradients need no accumulation in another type.
  void product_fp32(const std::string& name, std::uint64_t rows, std::uint64_t k, std::uint64_t n);
  // Kernels over so many elements, elementwise or of rows of `width`; gradients are called NAME.gradient.
  void vector(const std::string& name, double elements, std::span<const VectorPass> forward,
              std::span<const VectorPass> backward, RecomputeKinds also = {}, double width = 0);
  void attention(const BlockAttention& forward);
  // All dies of the TP group get all tokens' rows of this width, which they hold in parts (with sequence parallelism) or
  // have already.
  void gather(const std::string& name, double width);
  // The TP group's partial sums of all tokens' rows become sums: a part on each die, or all on all.
  void scatter(const std::string& name, double width);
  // Keys and values of this die go round its CP group, and their gradients with them.
  void ring(const std::string& name, double bytes);

  void keep(const std::string& name, double bytes, RecomputeKinds dropped = {});
  void keep_input(const std::string& name, double bytes);
  // Parameters without a product: of norms.
  void parameters(double count) { block_.parameters += count; }
  void model_flops(double a_token) { block_.model_flops += a_token; }
  void experts(const BlockExperts& experts) { block_.experts = experts; }
  void expert_parameters(double count) { block_.expert_parameters = count; }

  Block finish() &&;

 private:
  struct Operator {
    std::vector<BlockKernel> forward, activation_gradient, weight_gradient;
  };
  Operator& add() { return operators_.emplace_back(); }
  BlockKernel kernel(std::string name, WorkClass work_class, const decltype(BlockKernel::work)& work) const {
    return {std::move(name), work_class, part_, work, recompute_, 1};
  }
  void product(const std::string& name, BlockProduct forward);
  std::vector<BlockKernel> passes(const std::string& name, double elements,
                                  std::span<const VectorPass> passes, double width = 0) const;
  BlockKernel collective(const std::string& name, BlockCollective::Kind kind, double width) const;

  const ModelShape& model_;
  BlockLayout layout_;
  BlockPart part_{};
  RecomputeKinds recompute_{};
  std::vector<Operator> operators_;
  std::optional<BlockKernel> gathered_again_;
  Block block_;
};

}  // namespace a3sim
