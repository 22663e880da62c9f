#pragma once

#include <cstdint>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "tests/invariants/random_config.h"

namespace a3sim {

// A run with all its records, and what stood beside it and counted.
struct CountedPass {
  PassResult result;
  // By rank and task.
  std::vector<std::vector<std::uint32_t>> started, ended;
};

struct CountedRun {
  Experiment experiment;
  RoutingCounts counts;
  std::vector<CountedPass> passes;
};

CountedRun observe(const RandomConfig& config);

// One pass's schedule, run as the experiment says.
CountedPass observe(const Experiment& experiment, const std::string& name, Schedule schedule,
                    const RoutingCounts& counts, const NetworkBackend& backend);

// The rank whose memory a put writes; of other tasks, the task's own.
inline std::uint32_t written_rank(const Ssc& ssc, const TaskDescriptor& td) {
  return ssc.outputs(td)[0].rank;
}

}  // namespace a3sim
