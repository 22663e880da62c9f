#include "sim/experiment/run/compiled.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <spdlog/stopwatch.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "scheduler/compile/task_weights.h"
#include "sim/core/machine_memory.h"
#include "sim/core/parallel.h"
#include "sim/core/progress.h"
#include "sim/core/size_error.h"
#include "sim/experiment/run/interruption.h"
#include "sim/experiment/run/memory_check.h"
#include "sim/experiment/run/run_estimate.h"
#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

PathRates path_rates(const Hardware& hardware) {
  const auto clock = static_cast<double>(hardware.clock.count);
  return {2 * clock * hardware.cube.macs_per_cycle_16, clock * hardware.vector.gm_to_ub};
}

void check_size(const Experiment& experiment, std::uint64_t tasks) {
  constexpr std::uint64_t kMostTasks = 50'000'000;
  if (tasks <= kMostTasks)
    return check_memory(experiment.name, tasks, MemoryOf::kCompilation, memory_of_machine());
  throw InputSizeError(
      fmt::format("{}: a pass would have about {} million tasks, expected at most {}: take a smaller group, "
                  "fewer partitions or shares, or larger chunks",
                  experiment.name, tasks / 1'000'000, kMostTasks / 1'000'000));
}

// Returns the counts of a group that a few ranks represent: theirs, turned. If ranks send numbers of rows
// that differ by one, because rows do not divide evenly among experts, these are as good as the counts
// themselves.
RoutingCounts turned_counts(const Experiment& experiment, RoutingCounts counts) {
  if (experiment.representatives == 0) return counts;
  RoutingCounts of_kept = turned(counts, experiment.shape, experiment.representatives);
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e) {
      const std::uint32_t rows = counts.at(src, e), theirs = of_kept.at(src, e);
      if (std::max(rows, theirs) - std::min(rows, theirs) <= 1) continue;
      throw InputError(fmt::format(
          "{}: rank {} sends {} rows to expert {}, rank {} {} to the expert as far round: ranks are not "
          "alike; take experiment.simulate all, or a balanced routing",
          experiment.name, src, rows, e, src % experiment.representatives, theirs));
    }
  }
  return of_kept;
}

void refuse_if(const Experiment& experiment, const std::string& why) {
  if (!why.empty()) throw InputError(experiment.name + ": " + why);
}

std::vector<CompiledPass> compile_passes(const Experiment& experiment, const RoutingCounts& capacity,
                                         unsigned threads) {
  refuse_if(experiment, experiment.work->why_no_schedule_run());
  const std::uint64_t tasks = tasks_of_pass(experiment, capacity, experiment.representatives);
  check_size(experiment, tasks);
  std::vector<CompiledPass> passes(experiment.passes.size());
  const CompileOptions options = compile_options(experiment, capacity);
  Progress progress("compiled passes", passes.size());
  const auto compile_one = [&](std::size_t p) {
    check_interruption();
    const spdlog::stopwatch watch;
    const Pass& pass = experiment.passes[p];
    std::optional<CompileOptions> own;
    if (pass.cut != OwnCut{}) own.emplace(options).cut = cut_of(experiment, pass);
    passes[p] = {pass.name, compile(pass.graph, pass.name, own ? *own : options).schedule};
    spdlog::debug("{}: compiled for {} ranks, {:.3f} s", pass.name, passes[p].schedule.size(), watch);
    progress.step();
  };
  if (threads > 1 && fits_memory(passes.size() * tasks, MemoryOf::kCompilation, memory_of_machine())) {
    in_parallel(passes.size(), threads, compile_one);
  } else {
    for (std::size_t p = 0; p < passes.size(); ++p) compile_one(p);
  }
  return passes;
}

}  // namespace

std::uint64_t largest_tensors(const Schedule& schedule) {
  std::uint64_t most = 0;
  for (const Ssc& ssc : schedule) {
    std::uint64_t bytes = 0;
    for (const TensorInfo& tensor : ssc.tensors()) bytes += tensor.bytes();
    most = std::max(most, bytes);
  }
  return most;
}

CompileOptions compile_options(const Experiment& experiment, const RoutingCounts& capacity) {
  CompileOptions options;
  options.shape = experiment.shape;
  options.capacity = capacity;
  options.cut = experiment.cut;
  options.order = experiment.order;
  options.workers = experiment.workers;
  options.path_rates = path_rates(experiment.hardware);
  options.kept = experiment.representatives;
  // Orders that do not use the ranks' places give the same schedules everywhere.
  if (mentions(experiment.order, "node") || mentions(experiment.order, "distance"))
    options.placement = placement_of(experiment.hardware.fabric, dies_of(experiment.run.ranks));
  return options;
}

Compilation compile_pass(const Experiment& experiment, const Pass& pass, const RoutingCounts& capacity) {
  refuse_if(experiment, experiment.work->why_no_schedules());
  check_size(experiment, tasks_of_pass(experiment, capacity, 0));
  CompileOptions options = compile_options(experiment, capacity);
  options.cut = cut_of(experiment, pass);
  options.kept = 0;
  return compile(pass.graph, pass.name, options);
}

Schedule whole_schedule(const Experiment& experiment, const Compiled& compiled, std::size_t pass) {
  if (experiment.representatives == 0) return compiled.passes[pass].schedule;
  return compile_pass(experiment, experiment.passes[pass], capacity_of(experiment, compiled.counts)).schedule;
}

Compiled compile_all(const Experiment& experiment, unsigned threads) {
  return compile_all(experiment, routing_of(experiment), threads);
}

Compiled compile_all(const Experiment& experiment, RoutingCounts counts, unsigned threads) {
  counts = turned_counts(experiment, std::move(counts));
  std::vector<CompiledPass> passes = compile_passes(experiment, capacity_of(experiment, counts), threads);
  return {std::move(counts), std::move(passes)};
}

bool CompileCache::fits(const Experiment& experiment, const CompileOptions& options) const {
  return options == options_ &&
         std::ranges::equal(experiment.passes, passes_, [](const Pass& a, const Pass& b) {
           return a.name == b.name && a.graph == b.graph && a.cut == b.cut;
         });
}

const Compiled& CompileCache::compile(const Experiment& experiment) {
  compiled_.counts = turned_counts(experiment, routing_of(experiment));
  CompileOptions options = compile_options(experiment, capacity_of(experiment, compiled_.counts));
  if (fits(experiment, options)) return compiled_;
  compiled_.passes.clear();  // frees their memory for the new ones
  passes_.clear();
  compiled_.passes = compile_passes(experiment, options.capacity, 1);
  passes_ = experiment.passes;  // only after all of them have been compiled
  options_ = std::move(options);
  ++compilations_;
  return compiled_;
}

}  // namespace a3sim
