#include "sim/experiment/run_experiment.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <spdlog/stopwatch.h>

#include <numeric>

#include "sim/core/machine_memory.h"
#include "sim/experiment/interruption.h"
#include "sim/experiment/memory_check.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

RunResult run_on(const NetworkBackend& backend, const Experiment& experiment, const Compiled& compiled,
                 std::size_t pass, const RunOptions& options) {
  const spdlog::stopwatch watch;
  const CompiledPass& of = compiled.passes[pass];
  check_interruption();
  std::size_t tasks = 0;
  for (const Ssc& ssc : of.schedule) tasks += ssc.tasks().size();
  check_memory(of.name, tasks, options.record ? MemoryOf::kRecordedRun : MemoryOf::kRun, memory_of_machine());
  Progress progress(fmt::format("tasks of {}", of.name), tasks);
  InterruptibleHooks interruptible(options.hooks, progress);
  RunOptions with_hooks = options;
  with_hooks.hooks = interruptible.hooks();
  RunResult result = run_schedule(of.schedule, compiled.counts, experiment.hardware, backend, with_hooks);
  spdlog::debug("{}: {} events executed, {:.3f} s", of.name, result.events, watch);
  return result;
}

}  // namespace

RunOptions options_of(const Experiment& experiment, bool record) {
  RunOptions options = experiment.run;
  options.record = record;
  return options;
}

RunResult run_pass(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                   const RunOptions& options) {
  return run_on(backend_in_threads(experiment), experiment, compiled, pass, options);
}

Bounds bounds_of(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                 const RunOptions& options) {
  return lower_bounds(compiled.passes[pass].schedule, compiled.counts, experiment.hardware, options);
}

std::vector<PassResult> run_compiled(const Experiment& experiment, const Compiled& compiled, bool record,
                                     const NetworkBackend& backend) {
  const RunOptions options = options_of(experiment, record);
  std::vector<PassResult> results;
  for (std::size_t p = 0; p < compiled.passes.size(); ++p) {
    const CompiledPass& pass = compiled.passes[p];
    results.push_back({pass.name, pass.schedule, run_on(backend, experiment, compiled, p, options),
                       bounds_of(experiment, compiled, p, options)});
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
