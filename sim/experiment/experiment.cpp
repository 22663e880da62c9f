#include "sim/experiment/experiment.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <spdlog/stopwatch.h>

#include <algorithm>

#include "sim/network/network.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

PathRates path_rates(const Hardware& hardware) {
  const auto clock = static_cast<double>(hardware.clock.count);
  return {2 * clock * hardware.cube.macs_per_cycle_16, clock * hardware.vector.gm_to_ub};
}

// About how many tasks a pass has: its puts there and back, and each partition's shares and row tiles.
void check_size(const Experiment& experiment, const RoutingCounts& capacity) {
  constexpr std::uint64_t kMostTasks = 50'000'000;  // some 8 GB
  const CutOptions& cut = experiment.cut;
  std::uint64_t tasks = 4 * std::uint64_t{experiment.shape.experts()} * cut.partitions * cut.shares;
  for (std::uint32_t src = 0; src < capacity.ranks(); ++src) {
    for (const std::uint32_t rows : capacity.source(src)) {
      tasks += 2 * (rows / cut.chunk + (rows > 0)) + rows / cut.task_rows;
    }
  }
  if (tasks <= kMostTasks) return;
  throw InputError(
      fmt::format("{}: a pass would have about {} million tasks, expected at most {}: take a smaller group, "
                  "fewer partitions or shares, or larger chunks",
                  experiment.name, tasks / 1'000'000, kMostTasks / 1'000'000));
}

}  // namespace

RoutingCounts routing_of(const Experiment& experiment) {
  if (experiment.shape.experts() == 0) return RoutingCounts(experiment.shape.ep, 0);
  return route(experiment.routing, experiment.shape);
}

RoutingCounts capacity_of(const Experiment& experiment, const RoutingCounts& counts) {
  if (!experiment.bucket_rows) return counts;
  std::uint32_t most = 0;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (const std::uint32_t rows : counts.source(src)) most = std::max(most, rows);
  }
  if (most > *experiment.bucket_rows) {
    throw InputError(
        fmt::format("{}: {} rows, expected at least {}: the most that one rank sends to one expert",
                    experiment.bucket_where, *experiment.bucket_rows, most));
  }
  RoutingCounts capacity(counts.ranks(), counts.experts());
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e) capacity.at(src, e) = *experiment.bucket_rows;
  }
  return capacity;
}

CompileOptions compile_options(const Experiment& experiment, const RoutingCounts& capacity) {
  CompileOptions options;
  options.shape = experiment.shape;
  options.capacity = capacity;
  options.cut = experiment.cut;
  options.order = experiment.order;
  options.workers[0] = experiment.workers[0];
  options.workers[1] = experiment.workers[1];
  options.path_rates = path_rates(experiment.hardware);
  return options;
}

Compilation compile_pass(const Experiment& experiment, const Pass& pass, const RoutingCounts& capacity) {
  check_size(experiment, capacity);
  return compile(pass.graph, pass.name, compile_options(experiment, capacity));
}

RunOptions options_of(const Experiment& experiment, bool record) {
  RunOptions options;
  options.record = record;
  options.execution = experiment.execution;
  options.transport = experiment.transport;
  options.ranks = experiment.ranks;
  std::copy(std::begin(experiment.poll), std::end(experiment.poll), options.poll);
  options.dispatch_servers = experiment.dispatch_servers;
  options.l2 = experiment.l2;
  return options;
}

const NetworkBackend& backend_of(const Experiment& experiment) {
  return Registry<NetworkBackend>::get(experiment.network);
}

const NetworkBackend& backend_in_threads(const Experiment& experiment) {
  return Registry<NetworkBackend>::get(experiment.network == "simgrid" ? "native" : experiment.network);
}

std::vector<PassResult> run_experiment(const Experiment& experiment, bool record) {
  return run_experiment(experiment, record, backend_of(experiment));
}

std::vector<PassResult> run_experiment(const Experiment& experiment, bool record,
                                       const NetworkBackend& backend) {
  const RoutingCounts counts = routing_of(experiment);
  std::vector<PassResult> results;
  for (const Pass& pass : experiment.passes) {
    PassResult& result = results.emplace_back();
    result.name = pass.name;
    spdlog::stopwatch watch;
    result.schedule = compile_pass(experiment, pass, capacity_of(experiment, counts)).schedule;
    spdlog::debug("{}: compiled for {} ranks, {:.3f} s", pass.name, result.schedule.size(), watch);
    result.run =
        run_schedule(result.schedule, counts, experiment.hardware, backend, options_of(experiment, record));
    spdlog::debug("{}: {} events executed, {:.3f} s", pass.name, result.run.events, watch);
    result.bounds =
        lower_bounds(result.schedule, counts, experiment.hardware, options_of(experiment, record));
  }
  return results;
}

}  // namespace a3sim
