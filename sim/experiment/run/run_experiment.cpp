#include "sim/experiment/run/run_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <spdlog/stopwatch.h>

#include <numeric>

#include "sim/core/error.h"
#include "sim/core/machine_memory.h"
#include "sim/core/parallel.h"
#include "sim/experiment/run/interruption.h"
#include "sim/experiment/run/limited_hooks.h"
#include "sim/experiment/run/memory_check.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

MemoryOf memory_of(const RunOptions& options) {
  return options.record ? MemoryOf::kRecordedRun : MemoryOf::kRun;
}

std::size_t tasks_in(const CompiledPass& pass) {
  std::size_t tasks = 0;
  for (const Ssc& ssc : pass.schedule) tasks += ssc.tasks().size();
  return tasks;
}

RunResult run_on(const NetworkBackend& backend, const Experiment& experiment, const Compiled& compiled,
                 std::size_t pass, const RunOptions& options, Progress& progress) {
  const spdlog::stopwatch watch;
  const CompiledPass& compiled_pass = compiled.passes[pass];
  check_interruption();
  check_memory(compiled_pass.name, tasks_in(compiled_pass), memory_of(options), memory_of_machine());
  InterruptibleHooks interruptible(options.hooks, progress);
  RunOptions with_hooks = options;
  with_hooks.hooks = interruptible.hooks();
  RunResult result = run_schedule(compiled_pass.schedule, compiled.counts, experiment.hardware,
                                  experiment.program, backend, with_hooks);
  spdlog::debug("{}: {} events executed, {:.3f} s", compiled_pass.name, result.events, watch);
  return result;
}

// Which passes had ended when a run was interrupted: "forward took 10.204 ms, backward had not ended".
std::string ended_passes(const std::vector<PassResult>& results) {
  std::vector<std::string> passes;
  for (const PassResult& pass : results) {
    const bool ended = pass.run.makespan > Duration::zero();
    passes.push_back(ended ? fmt::format("{} took {:.3f} ms", pass.name,
                                         1e-9 * static_cast<double>(pass.run.makespan.count()))
                           : pass.name + " had not ended");
  }
  return fmt::format("{}", fmt::join(passes, ", "));
}

}  // namespace

RunOptions options_of(const Experiment& experiment, bool record) {
  RunOptions options = experiment.run;
  options.record = record;
  return options;
}

RunResult run_pass(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                   const RunOptions& options) {
  const CompiledPass& compiled_pass = compiled.passes[pass];
  Progress progress(fmt::format("tasks of {}", compiled_pass.name), tasks_in(compiled_pass));
  return run_on(backend_in_threads(experiment), experiment, compiled, pass, options, progress);
}

RunResult run_drawn(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                    const Draw& draw, bool record, Duration limit) {
  const JitterOptions jitter = draw.options();
  const Experiment changed = with_jitter(experiment, jitter, draw.run);
  TaskJitter hooks(compiled.passes[pass].schedule, jitter, draw.run, static_cast<std::uint32_t>(pass));
  LimitedHooks limited(hooks, limit);
  RunOptions options = options_of(experiment, record);
  options.hooks = limit < Duration::max() ? static_cast<TaskHooks*>(&limited) : &hooks;
  return run_pass(changed, compiled, pass, options);
}

Bounds bounds_of(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                 const RunOptions& options) {
  return lower_bounds(compiled.passes[pass].schedule, compiled.counts, experiment.hardware,
                      experiment.program, options);
}

std::vector<PassResult> run_compiled(const Experiment& experiment, const Compiled& compiled, bool record,
                                     const NetworkBackend& backend, unsigned threads) {
  const RunOptions options = options_of(experiment, record);
  std::size_t tasks = 0;
  for (const CompiledPass& pass : compiled.passes) tasks += tasks_in(pass);
  Progress progress("tasks", tasks);
  std::vector<PassResult> results(compiled.passes.size());
  // Runs come first, then bounds, for threads that have finished their runs.
  const auto work = [&](std::size_t job) {
    const std::size_t p = job % results.size();
    if (job < results.size()) {
      results[p].run = run_on(backend, experiment, compiled, p, options, progress);
    } else {
      results[p].bounds = bounds_of(experiment, compiled, p, options);
    }
  };
  for (std::size_t p = 0; p < results.size(); ++p) {
    results[p].name = compiled.passes[p].name;
    results[p].schedule = compiled.passes[p].schedule;
  }
  const std::size_t jobs = 2 * results.size();
  const bool beside = threads > 1 && &backend == &backend_in_threads(experiment) &&
                      fits_memory(tasks, memory_of(options), memory_of_machine());
  try {
    in_parallel(jobs, beside ? threads : 1, work);
  } catch (const Error& error) {
    if (error.code() != ExitCode::kInterrupted) throw;
    throw Error(ExitCode::kInterrupted, "interrupted: " + ended_passes(results));
  }
  return results;
}

std::vector<PassResult> run_experiment(const Experiment& experiment, bool record) {
  return run_experiment(experiment, record, backend_of(experiment));
}

std::vector<PassResult> run_experiment(const Experiment& experiment, bool record,
                                       const NetworkBackend& backend) {
  return run_compiled(experiment, compile_all(experiment), record, backend);
}

Duration total_of(std::span<const Duration> passes) {
  return std::accumulate(passes.begin(), passes.end(), Duration::zero());
}

Duration total_of(std::span<const PassResult> passes) {
  Duration total{};
  for (const PassResult& pass : passes) total += pass.run.makespan;
  return total;
}

}  // namespace a3sim
