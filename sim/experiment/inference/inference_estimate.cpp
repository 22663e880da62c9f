#include "sim/experiment/inference/inference_estimate.h"

#include <fmt/format.h>

#include <cmath>

namespace a3sim {

// Counts rows that the exchanges of a layer move, of one rank if routing is balanced, else of all. Measured with DeepSeek-V3
// on 32 and 128 dies, from 96 to 16,384 tokens per rank.
RunEstimate estimate_of_inference(const Experiment& experiment, const InferencePlan& plan) {
  constexpr double kSecondsBefore = 0.02, kSecondsForRank = 0.004, kSecondsForRow = 2.6e-6,
                   kBytesBefore = 22e6, kBytesForRow = 350, kBytesForOther = 17;  // row of another rank
  const double rows = static_cast<double>(experiment.shape.tokens) * experiment.shape.top_k;
  const double ranks = experiment.routing.kind == "balanced" ? 1 : plan.options.ep;
  return {fmt::format("{:.0f} rows of {:.0f} rank{}", rows, ranks, ranks == 1 ? "" : "s"),
          kSecondsBefore + kSecondsForRank * ranks + kSecondsForRow * rows * std::sqrt(ranks),
          kBytesBefore + rows * (kBytesForRow + kBytesForOther * (ranks - 1))};
}

}  // namespace a3sim
