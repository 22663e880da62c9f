#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/blocks/block.h"

namespace a3sim {

// One kernel of elementwise work: bytes read and written per element, and instructions per element.
struct ElementwiseKernel {
  double read = 0, written = 0;
  double simple = 0, convert = 0, transcendental = 0;
  std::uint32_t steps = 0;  // reductions over rows: instructions on a row that each wait for the one before
};

// Builds a block from its forward operators, added one by one. Their gradients come out in reverse order.
class BlockBuilder {
 public:
  // The model must outlive it.
  BlockBuilder(const ModelShape& model, const BlockLayout& layout)
      : model_(model), layout_(layout), in_fp8_(layout.fp8 != Fp8Recipe::kNone) {}

  const ModelShape& model() const { return model_; }
  const BlockLayout& layout() const { return layout_; }
  // Returns the bytes of an element of the model's type.
  double element() const { return element_bytes(model_.dtype); }
  // Returns the same as the products that are added read it.
  double operand() const { return in_fp8_ ? element_bytes(operand_type(layout_.fp8)) : element(); }
  double tokens() const { return static_cast<double>(layout_.tokens()); }
  double own_tokens() const { return static_cast<double>(layout_.own_tokens()); }

  // Sets the part, and the kinds of recompute, of all that is added from now on.
  void at(BlockPart part, RecomputeKinds recompute = {});

  // Adds a product of rows x k by weights k x n, with both gradients. The weights are this die's.
  void product(const std::string& name, std::uint64_t rows, std::uint64_t k, std::uint64_t n);
  // From now on, products are in the model's type.
  void in_model_type() { in_fp8_ = false; }
  // Adds the same in fp32; its gradients need no accumulation in another type.
  void product_fp32(const std::string& name, std::uint64_t rows, std::uint64_t k, std::uint64_t n);
  // Adds kernels over this many elements, elementwise or in rows of `width`. Gradients are called
  // NAME.gradient.
  void vector(const std::string& name, double elements, std::span<const ElementwiseKernel> forward,
              std::span<const ElementwiseKernel> backward, RecomputeKinds also = {}, double width = 0);
  void attention(const BlockAttention& forward);
  // Adds the gather of all tokens' rows of this width on all dies of the TP group. The dies hold parts of
  // them (with sequence parallelism) or have all already. `beside`: so many columns are no operand of the next product.
  void gather(const std::string& name, double width, double beside = 0);
  // Adds the reduction of the TP group's partial sums of all tokens' rows: each die gets its part, or all
  // dies get all.
  void scatter(const std::string& name, double width);
  // Adds the ring that passes this die's keys and values around its CP group, and back with their gradients.
  void ring(const std::string& name, double bytes);
  // Adds the exchange of tokens for heads in the CP group, or back, of a tensor that has so many bytes on this
  // die; gradients go the other way.
  void swap_heads(const std::string& name, double bytes);

  void keep(const std::string& name, double bytes, RecomputeKinds dropped = {});
  void keep_input(const std::string& name, double bytes);
  // Adds parameters that have no product, such as those of norms.
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
  // Adds the kernels that turn so many elements into operands of eight bits, forward or of a gradient.
  void cast(const std::string& name, double elements, bool gradient);
  std::vector<BlockKernel> passes(const std::string& name, double elements,
                                  std::span<const ElementwiseKernel> passes, double width = 0) const;
  BlockKernel collective(const std::string& name, BlockCollective::Kind kind, double width,
                         double element) const;

  const ModelShape& model_;
  BlockLayout layout_;
  BlockPart part_{};
  RecomputeKinds recompute_{};
  std::vector<Operator> operators_;
  std::optional<BlockKernel> gathered_again_;
  bool in_fp8_;
  bool gathered_ = false;  // the next product's rows are cast, before they are gathered
  Block block_;
};

}  // namespace a3sim
