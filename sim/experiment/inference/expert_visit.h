#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/experiment/inference/inference_costs.h"

namespace a3sim {

// The rows that a micro-batch of a layer sends to its experts, and the kernels that send them.
struct ExpertVisit {
  std::vector<std::uint32_t> rows;  // by expert of the rank for which the others wait
  double over_mean = 1;             // its rows, over the mean of ranks
  std::vector<InferenceKernel> dispatch,
      combine;  // with the kernels that put rows in order for the host's exchanges
  // One kernel that does all of it, products too; then `dispatch` and `combine` are empty.
  std::optional<InferenceKernel> whole;
};

// Runs Dispatch and Combine as the experiment's execution has them, alone, each for its time; or the kernel that is both and
// the experts. Everything else about them follows from the routing.
ExpertVisit expert_visit(const Experiment& experiment, const InferencePlan& plan);

}  // namespace a3sim
