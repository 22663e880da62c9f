#include "sim/experiment/step/step_estimate.h"

#include <fmt/format.h>

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

}  // namespace a3sim
