#include "sim/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/network/network.h"
#include "sim/runtime/run_options.h"

namespace a3sim {
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

CutOptions cut_of(const Experiment& experiment, const Pass& pass) {
  CutOptions cut = experiment.cut;
  const auto take = [](std::uint32_t& value, std::uint32_t own) { value = own > 0 ? own : value; };
  take(cut.partitions, pass.cut.partitions);
  take(cut.chunk, pass.cut.chunk);
  take(cut.task_rows, pass.cut.task_rows);
  return cut;
}

const NetworkBackend& backend_of(const Experiment& experiment) {
  return Registry<NetworkBackend>::get(experiment.network);
}

const NetworkBackend& backend_in_threads(const Experiment& experiment) {
  return Registry<NetworkBackend>::get(experiment.network == "simgrid" ? "native" : experiment.network);
}

Experiment Experiment::with(std::span<const std::string> changes) const {
  Diagnostics diagnostics;
  Experiment changed = read_experiment(Config::from(*tree, changes, diagnostics), diagnostics);
  for (const std::function<void(Experiment&)>& amendment : amendments) changed.amend(amendment);
  return changed;
}

Experiment Experiment::with_machine(std::span<const std::string> changes) const {
  Experiment stated = with(changes), changed = *this;
  changed.hardware = std::move(stated.hardware);
  changed.program = std::move(stated.program);
  changed.tree = std::move(stated.tree);
  changed.resolved = std::move(stated.resolved);
  changed.values = std::move(stated.values);
  return changed;
}

void Experiment::amend(std::function<void(Experiment&)> change) {
  change(*this);
  amendments.push_back(std::move(change));
}

}  // namespace a3sim
