#pragma once

#include <cstdint>
#include <vector>

#include "sim/experiment/run/run_experiment.h"
#include "tests/invariants/random_config.h"

namespace a3sim {

// A run of a pass with all its records, and counts of its task hooks.
struct CountedPass {
  PassResult result;
  // Calls for each task, by rank, then by task.
  std::vector<std::vector<std::uint32_t>> started, ended;
};

struct CountedRun {
  Experiment experiment;
  RoutingCounts counts;
  std::vector<CountedPass> passes;
};

CountedRun observe(const RandomConfig& config);

// Runs a schedule of one pass as the experiment says.
CountedPass observe(const Experiment& experiment, const std::string& name, Schedule schedule,
                    const RoutingCounts& counts, const NetworkBackend& backend);

// Returns the rank whose memory a put writes. For other tasks, the task's own rank.
inline std::uint32_t written_rank(const Ssc& ssc, const TaskDescriptor& td) {
  return ssc.outputs(td)[0].rank;
}

}  // namespace a3sim
