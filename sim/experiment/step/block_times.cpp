#include "sim/experiment/step/block_times.h"

#include <algorithm>

#include "sim/device/block_cost.h"

namespace a3sim {
namespace {

TimeClass class_of(WorkClass kind) {
  switch (kind) {
    case WorkClass::kGroupedProducts:
      return TimeClass::kGrouped;
    case WorkClass::kProducts:
      return TimeClass::kProducts;
    case WorkClass::kAttention:
      return TimeClass::kAttention;
    case WorkClass::kVector:
      return TimeClass::kVector;
    case WorkClass::kCollective:
      return TimeClass::kTp;
  }
  return TimeClass::kRest;
}

double flops_of(const BlockKernel& kernel) {
  if (const auto* const product = std::get_if<BlockProduct>(&kernel.work)) return product->flops();
  if (const auto* const attention = std::get_if<BlockAttention>(&kernel.work)) return attention->flops();
  return 0;
}

class PartCosts {
 public:
  PartCosts(const Experiment& experiment, const StepOptions& step, BlockTimes& times)
      : experiment_(experiment),
        captured_(step.captured),
        unlisted_(step.unlisted),
        hardware_(sustained(experiment.hardware)),
        cost_(hardware_, experiment.program, experiment.cut.tiling),
        fp8_cost_(hardware_, experiment.program, tiling_for(experiment.cut.tiling, operand_type(step.fp8))),
        times_(times) {}

  void add(const std::vector<BlockKernel>& kernels, PartWorks& works,
           bool (*takes)(const BlockKernel&, const StepOptions&), const StepOptions& step) {
    for (const BlockKernel& kernel : kernels)
      if (takes(kernel, step)) add(kernel, at(works, kernel.part));
  }

 private:
  void add(const BlockKernel& kernel, PartWork& part) {
    if (const auto* const collective = std::get_if<BlockCollective>(&kernel.work)) {
      const bool tensor = collective->group == BlockCollective::Group::kTensor;
      (tensor ? part.tp_sent : part.cp_sent) += collective->sent();
      ++(tensor ? part.tp_calls : part.cp_calls);
      return;
    }
    // Kernels follow one another, so no other kernel makes up for the time that one waits for memory.
    const auto* const product = std::get_if<BlockProduct>(&kernel.work);
    MemoryJob job = block_kernel_cost(kernel, product && is_fp8(product->dtype) ? fp8_cost_ : cost_);
    settle(job, hardware_);
    part.add(job, class_of(kernel.work_class));
    // Each kernel begins one launch after the one before it, unless a graph has captured both.
    const Duration gaps =
        Duration(static_cast<std::int64_t>(static_cast<double>(experiment_.program.launch.queued.count()) *
                                           kernel.launches * (1 - captured_))) +
        unlisted_ * static_cast<std::int64_t>(kernel.launches);
    part.hold += gaps;
    at(part.classes, TimeClass::kRest) += gaps;
    part.launches += kernel.launches;
    if (kernel.own_call) part.calls += kernel.launches;
    times_.flops_run += flops_of(kernel);
  }

  const Experiment& experiment_;
  double captured_;
  Duration unlisted_;
  Hardware hardware_;
  KernelCost cost_, fp8_cost_;
  BlockTimes& times_;
};

bool all_kernels(const BlockKernel&, const StepOptions&) { return true; }
bool again_in_backward(const BlockKernel& kernel, const StepOptions& step) {
  return step.recompute_all || kernel.recompute.meets(step.recompute);
}

// Only layers are computed again as a whole.
StepOptions options_of(const StepOptions& step, const BlockKind& block, const StageLayout::Kind& kind) {
  StepOptions own = step;
  own.recompute_all = step.recompute_all && block.is_layer() && kind.again;
  return own;
}

BlockTimes sizes_of(const Block& block, const StepOptions& own) {
  BlockTimes sizes;
  sizes.dense_parameters = block.parameters;
  sizes.fp8_parameters = block.fp8_parameters;
  sizes.kept = own.recompute_all ? block.kept_input() : block.kept(own.recompute);
  sizes.kept_again = block.kept({}) - sizes.kept;
  if (!block.experts) return sizes;
  sizes.expert_parameters = block.expert_parameters / (own.ep * own.etp);
  if (own.fp8 != Fp8Recipe::kNone) sizes.fp8_parameters += sizes.expert_parameters;
  sizes.experts_again = own.experts_again();
  return sizes;
}

}  // namespace

double offloaded_bytes(const StepOptions& step, const BlockTimes& block) {
  return step.offload > 0 && BlockKinds::get(block.kind).is_layer() ? step.offload * block.kept : 0;
}

BlockTimes block_sizes(const StepOptions& step, const ModelShape& model, const StageLayout::Kind& kind) {
  const BlockKind& block_kind = BlockKinds::get(kind.name);
  BlockTimes sizes =
      sizes_of(block_kind.block(model, step.block_layout()), options_of(step, block_kind, kind));
  sizes.kind = kind.name;
  return sizes;
}

BlockTimes block_times(const Experiment& experiment, const StepOptions& step, const ModelShape& model,
                       const StageLayout::Kind& kind) {
  const BlockKind& block_kind = BlockKinds::get(kind.name);
  const Block block = block_kind.block(model, step.block_layout());
  const StepOptions own = options_of(step, block_kind, kind);
  BlockTimes times = sizes_of(block, own);
  times.kind = kind.name;
  PartCosts costs(experiment, step, times);
  costs.add(block.forward, times.forward, all_kernels, own);
  costs.add(block.forward, times.again, again_in_backward, own);
  costs.add(block.activation_gradient, times.activation, all_kernels, own);
  costs.add(block.weight_gradient, times.weights, all_kernels, own);
  times.model_flops = block.model_flops;
  if (!block.experts) return times;
  times.experts = expert_times(experiment, step, *block.experts);
  const BlockExperts& experts = *block.experts;
  double rows = 0;  // that are computed, over those that tokens choose
  for (const ExpertTimes& drawn : times.experts)
    rows += drawn.limit.part / static_cast<double>(times.experts.size());
  times.flops_run += rows * (times.experts_again ? 4.0 : 3.0) * 2.0 * (experts.first_columns() + 1) *
                     static_cast<double>(experts.tokens) * experts.top_k * experts.hidden *
                     experts.intermediate;
  return times;
}

}  // namespace a3sim
