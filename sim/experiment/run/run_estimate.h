#pragma once

#include <cstdint>
#include <string>

#include "sim/experiment/experiment.h"

namespace a3sim {

// Estimates the number of tasks of a pass: its puts there and back, and each partition's shares and row tiles. `kept` is
// the number of ranks that represent all; 0: all are simulated.
std::uint64_t tasks_of_pass(const Experiment& experiment, const RoutingCounts& capacity, std::uint32_t kept);

// The time and the memory that a run is foreseen to take, before anything is compiled.
struct RunEstimate {
  std::string what;    // "1000 ranks with 12 million tasks"
  double seconds = 0;  // of one core; machines differ by half
  double bytes = 0;
  // "1000 ranks with 12 million tasks: about 9 min and 9.4 GB"
  std::string text() const;
};

// Returns the estimate for an experiment that runs task by task, and an empty one for others. `recorded` says that each task
// is kept. step/step_estimate.h has that of training steps.
RunEstimate estimate_of(const Experiment& experiment, bool recorded);

}  // namespace a3sim
