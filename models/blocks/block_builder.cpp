#include "models/blocks/block_builder.h"

#include <iterator>
#include <utility>

#include "models/blocks/fp8_casts.h"

namespace a3sim {
namespace {

std::uint64_t whole_count(double count) { return static_cast<std::uint64_t>(count); }
// Copies by columns are stored so that they are read like rows.
bool in_fp8(DataType operands) { return element_bits(operands) <= 8; }

}  // namespace

void BlockBuilder::at(BlockPart part, RecomputeKinds recompute) {
  part_ = part;
  recompute_ = recompute;
}

void BlockBuilder::product(const std::string& name, std::uint64_t rows, std::uint64_t k, std::uint64_t n) {
  if (!in_fp8_) return product(name, BlockProduct{rows, n, k, model_.dtype});
  if (!std::exchange(gathered_, false)) cast(name + ".cast", static_cast<double>(rows) * k, false);
  product(name, BlockProduct{rows, n, k, operand_type(layout_.fp8)});
  block_.fp8_parameters += static_cast<double>(k) * n;
  cast(name + ".gradient_cast", static_cast<double>(rows) * n, true);
}

void BlockBuilder::product_fp32(const std::string& name, std::uint64_t rows, std::uint64_t k,
                                std::uint64_t n) {
  product(name, BlockProduct{rows, n, k, DataType::kFp32});
}

void BlockBuilder::product(const std::string& name, BlockProduct forward) {
  const auto [m, n, k, dtype, transposed, accumulates] = forward;
  const bool accumulated = dtype != DataType::kFp32;
  const bool one_kernel = accumulated && layout_.fuses(Fusion::kAccumulate);
  Operator& added = add();
  added.forward.push_back(kernel(name, WorkClass::kProducts, forward));
  added.activation_gradient.push_back(
      kernel(name + ".activation_gradient", WorkClass::kProducts, BlockProduct{m, k, n, dtype}));
  if (gathered_again_) added.weight_gradient.push_back(*std::exchange(gathered_again_, std::nullopt));
  added.weight_gradient.push_back(kernel(name + ".weight_gradient", WorkClass::kProducts,
                                         BlockProduct{k, n, m, dtype, !in_fp8(dtype), one_kernel}));
  if (accumulated && !one_kernel) {
    const ElementwiseKernel add_fp32{element() + 4, 4, 1, 1, 0};
    for (BlockKernel& one :
         passes(name + ".accumulate", static_cast<double>(k) * static_cast<double>(n), {&add_fp32, 1}))
      added.weight_gradient.push_back(std::move(one));
  }
  block_.parameters += static_cast<double>(k) * static_cast<double>(n);
}

// They are started within the operation of the framework that starts the product.
void BlockBuilder::cast(const std::string& name, double elements, bool gradient) {
  Operator& added = add();
  std::vector<BlockKernel>& kernels = gradient ? added.activation_gradient : added.forward;
  kernels = passes(name, elements, cast_passes(layout_.fp8));
  for (BlockKernel& one : kernels) one.own_call = false;
}

std::vector<BlockKernel> BlockBuilder::passes(const std::string& name, double elements,
                                              std::span<const ElementwiseKernel> passes, double width) const {
  std::vector<BlockKernel> kernels;
  for (const ElementwiseKernel& pass : passes) {
    const BlockVector work{elements * pass.read,
                           elements * pass.written,
                           {whole_count(elements * pass.simple), whole_count(elements * pass.convert),
                            whole_count(elements * pass.transcendental)},
                           pass.steps > 0 ? whole_count(elements / width) : 0,
                           pass.steps};
    kernels.push_back(kernel(name, WorkClass::kVector, work));
  }
  return kernels;
}

void BlockBuilder::vector(const std::string& name, double elements,
                          std::span<const ElementwiseKernel> forward,
                          std::span<const ElementwiseKernel> backward, RecomputeKinds also, double width) {
  const RecomputeKinds all = recompute_;
  recompute_.add(also);
  Operator& added = add();
  added.forward = passes(name, elements, forward, width);
  added.activation_gradient = passes(name + ".gradient", elements, backward, width);
  recompute_ = all;
}

void BlockBuilder::attention(const BlockAttention& forward) {
  BlockAttention backward = forward;
  backward.backward = true;
  Operator& added = add();
  added.forward.push_back(kernel("attention", WorkClass::kAttention, forward));
  added.activation_gradient.push_back(kernel("attention.gradient", WorkClass::kAttention, backward));
  for (auto* kernels : {&added.forward, &added.activation_gradient}) kernels->back().launches = forward.cp;
}

BlockKernel BlockBuilder::collective(const std::string& name, BlockCollective::Kind kind, double width,
                                     double element) const {
  return kernel(
      name, WorkClass::kCollective,
      BlockCollective{kind, BlockCollective::Group::kTensor, layout_.tp, tokens() * width * element});
}

void BlockBuilder::gather(const std::string& name, double width, double beside) {
  if (layout_.tp == 1) return;
  if (!layout_.sequence_parallel) {
    add().activation_gradient.push_back(
        collective(name + ".all_reduce", BlockCollective::Kind::kAllReduce, width, element()));
    return;
  }
  // Operands of eight bits are gathered as such.
  gathered_ = in_fp8_;
  if (in_fp8_) cast(name + ".cast", own_tokens() * (width - beside), false);
  const double bytes = ((width - beside) * operand() + beside * element()) / width;  // of an element
  Operator& added = add();
  added.forward.push_back(collective(name + ".all_gather", BlockCollective::Kind::kAllGather, width, bytes));
  added.activation_gradient.push_back(
      collective(name + ".reduce_scatter", BlockCollective::Kind::kReduceScatter, width, element()));
  // The weight gradient of the next product needs all tokens again, of which each die has kept its own.
  gathered_again_ = collective(name + ".all_gather_again", BlockCollective::Kind::kAllGather, width, bytes);
}

void BlockBuilder::scatter(const std::string& name, double width) {
  if (layout_.tp == 1) return;
  if (!layout_.sequence_parallel) {
    add().forward.push_back(
        collective(name + ".all_reduce", BlockCollective::Kind::kAllReduce, width, element()));
    return;
  }
  if (in_fp8_)
    operators_.pop_back();  // the gradient of all tokens' rows is not cast, but that of the die's own
  Operator& added = add();
  added.forward.push_back(
      collective(name + ".reduce_scatter", BlockCollective::Kind::kReduceScatter, width, element()));
  added.activation_gradient.push_back(
      collective(name + ".all_gather", BlockCollective::Kind::kAllGather, width, operand()));
  if (in_fp8_) cast(name + ".gradient_cast", own_tokens() * width, true);
}

void BlockBuilder::ring(const std::string& name, double bytes) {
  if (layout_.cp == 1) return;
  const auto round = [&](double value) {
    return BlockCollective{BlockCollective::Kind::kRing, BlockCollective::Group::kContext, layout_.cp, value};
  };
  Operator& added = add();
  added.forward.push_back(kernel(name, WorkClass::kCollective, round(bytes)));
  added.activation_gradient.push_back(kernel(name + ".gradient", WorkClass::kCollective, round(2 * bytes)));
}

void BlockBuilder::swap_heads(const std::string& name, double bytes) {
  const BlockCollective swap{BlockCollective::Kind::kAllToAll, BlockCollective::Group::kContext, layout_.cp,
                             bytes};
  Operator& added = add();
  added.forward.push_back(kernel(name, WorkClass::kCollective, swap));
  added.activation_gradient.push_back(kernel(name + ".gradient", WorkClass::kCollective, swap));
}

void BlockBuilder::keep(const std::string& name, double bytes, RecomputeKinds dropped) {
  dropped.add(recompute_);
  block_.activations.push_back({name, bytes, dropped, false});
}

void BlockBuilder::keep_input(const std::string& name, double bytes) {
  block_.activations.push_back({name, bytes, {}, true});
}

Block BlockBuilder::finish() && {
  const auto append = [](std::vector<BlockKernel>& to, std::vector<BlockKernel>& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  for (Operator& one : operators_) append(block_.forward, one.forward);
  for (auto one = operators_.rbegin(); one != operators_.rend(); ++one) {
    append(block_.activation_gradient, one->activation_gradient);
    append(block_.weight_gradient, one->weight_gradient);
  }
  return std::move(block_);
}

}  // namespace a3sim
