#pragma once

#include "sim/experiment/experiment.h"
#include "sim/experiment/run/run_experiment.h"

namespace a3sim {

// Runs the experiment if it is small.
inline void run_small(const Experiment& experiment) {
  constexpr std::uint64_t kMostSlots = 4096, kMostElements = 1 << 14, kMostExperts = 32;
  const MoeShape& shape = experiment.shape;
  if (std::uint64_t{shape.tokens} * shape.top_k * shape.ep > kMostSlots ||
      !experiment.work->why_no_schedules().empty())
    return;
  if (std::uint64_t{shape.hidden} + shape.intermediate > kMostElements || shape.experts() > kMostExperts)
    return;
  if (experiment.bucket_rows.value_or(0) > kMostSlots || experiment.cut.shares > kMostExperts) return;
  run_experiment(experiment, true, backend_in_threads(experiment));
}

}  // namespace a3sim
