#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/experiment/bounds.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/draws.h"
#include "sim/runtime/result.h"
#include "sim/runtime/run.h"

namespace a3sim {

// One pass of an experiment, run.
struct PassResult {
  std::string name;
  Schedule schedule;
  RunResult run;
  Bounds bounds;
};

// How the experiment's schedules run, with or without each task's record.
RunOptions options_of(const Experiment& experiment, bool record);

// One pass, on the experiment's machine. Safe for many threads at once, each with its own hooks; so the
// backend is that of threads. Throws as run_schedule() does.
RunResult run_pass(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                   const RunOptions& options);
// One pass in one of the draws, with or without each task's record; it stops where a task starts behind the limit.
RunResult run_drawn(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                    const Draw& draw, bool record, Duration limit = Duration::max());
// What no run of the pass can beat.
Bounds bounds_of(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                 const RunOptions& options);

// All passes, with their bounds. A barrier stands between passes, so that none looks at another: they run beside one
// another in so many threads, if the backend takes several and the machine has the memory. Results do not depend on the
// number of threads.
std::vector<PassResult> run_compiled(const Experiment& experiment, const Compiled& compiled, bool record,
                                     const NetworkBackend& backend, unsigned threads = 1);

// Compiles and runs an experiment, on the backend that it names or another one.
std::vector<PassResult> run_experiment(const Experiment& experiment, bool record);
std::vector<PassResult> run_experiment(const Experiment& experiment, bool record,
                                       const NetworkBackend& backend);

// The latency of all passes, one after the other.
Duration total_of(std::span<const Duration> passes);
Duration total_of(std::span<const PassResult> passes);

}  // namespace a3sim
