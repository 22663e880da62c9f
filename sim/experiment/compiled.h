#pragma once

#include <span>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// An experiment's schedules, compiled once, to be run many times on machines that differ.
struct Compiled {
  RoutingCounts counts;
  std::vector<Schedule> passes;  // as in the experiment
};

// Throws InputError as compile_pass() does.
Compiled compile_all(const Experiment& experiment);

// Runs one of the passes on the experiment's machine. Safe for many threads at once.
RunResult run_pass(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                   const RunOptions& options);

// The latency of all passes, one after the other.
Duration total_of(std::span<const Duration> passes);

}  // namespace a3sim
