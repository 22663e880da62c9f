#include "sim/experiment/step/step_estimate.h"

#include <fmt/format.h>

#include "models/blocks/block.h"
#include "sim/experiment/step/expert_times.h"
#include "sim/experiment/step/layout.h"

namespace a3sim {

// Counts the passes of micro-batches through layers. Measured with DeepSeek-V3's 61 layers and 20 to 240 micro-batches; with a
// host that launches kernels piece by piece, with Qwen3-235B's 94 layers and 128 to 512 micro-batches: 33 kB, and 44 where two
// micro-batches run beside one another with weights that are gathered.
RunEstimate estimate_of_step(const TrainingPlan& plan) {
  constexpr double kSecondsBefore = 0.4, kSecondsForLayer = 85e-6, kBytesBefore = 20e6, kBytesForLayer = 27e3,
                   kBytesWithHost = 38e3;
  const double layers = static_cast<double>(plan.step.micro_batches() * plan.model.layers.size());
  return {
      fmt::format("{} micro-batches through {} layers", plan.step.micro_batches(), plan.model.layers.size()),
      kSecondsBefore + kSecondsForLayer * layers,
      kBytesBefore + (plan.step.launch > Duration::zero() ? kBytesWithHost : kBytesForLayer) * layers};
}

RunEstimate estimate_of_step(const Experiment& experiment, const TrainingPlan& plan) {
  RunEstimate estimate = estimate_of_step(plan);
  for (const StageLayout::Kind& kind : stage_layout(plan.model.layers, plan.step).kinds) {
    const Block block = BlockKinds::get(kind.name).block(plan.model, plan.step.block_layout());
    if (block.experts) estimate.seconds += seconds_of_runs(experiment, plan.step, *block.experts);
  }
  return estimate;
}

}  // namespace a3sim
