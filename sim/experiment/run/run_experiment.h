#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run/bounds.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/draws.h"
#include "sim/runtime/result.h"
#include "sim/runtime/run.h"

namespace a3sim {

// The result of one pass of an experiment.
struct PassResult {
  std::string name;
  Schedule schedule;
  RunResult run;
  Bounds bounds;
};

// Returns the run options of the experiment's schedules. `record` asks for a record of each task.
RunOptions options_of(const Experiment& experiment, bool record);

// Runs one pass on the experiment's machine. Thread-safe if each thread has its own hooks; it therefore uses
// backend_in_threads(). Throws as run_schedule() does.
RunResult run_pass(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                   const RunOptions& options);
// Runs one pass in one of the draws, with or without a record of each task. Stops at a task that starts after
// the limit.
RunResult run_drawn(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                    const Draw& draw, bool record, Duration limit = Duration::max());
// Returns the bounds of the pass.
Bounds bounds_of(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                 const RunOptions& options);

// Runs all passes, with their bounds. There is a barrier between passes, so that none depends on another.
// They run in parallel threads, if the backend allows it and the machine has the memory. Results do not
// depend on the number of threads.
std::vector<PassResult> run_compiled(const Experiment& experiment, const Compiled& compiled, bool record,
                                     const NetworkBackend& backend, unsigned threads = 1);

// Compiles and runs an experiment, on the backend that it names or on another one.
std::vector<PassResult> run_experiment(const Experiment& experiment, bool record);
std::vector<PassResult> run_experiment(const Experiment& experiment, bool record,
                                       const NetworkBackend& backend);

// Returns the latency of all passes, one after another.
Duration total_of(std::span<const Duration> passes);
Duration total_of(std::span<const PassResult> passes);

}  // namespace a3sim
