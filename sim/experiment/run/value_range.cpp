#include "sim/experiment/run/value_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

constexpr std::string_view kFabric = "hardware.fabric.", kCollective = "program.collective.";

// Returns the levels and planes over which any two ranks communicate, by the names that values use.
std::vector<std::string> meeting_places(const Experiment& experiment) {
  const Hardware::Fabric& fabric = experiment.hardware.fabric;
  std::vector<std::string> places;
  const std::vector<std::uint32_t> dies = dies_of(experiment.run.ranks);
  const Topology topology(experiment.hardware, experiment.program, dies, experiment.run.transport);
  for (std::uint32_t src = 0; src < dies.size(); ++src) {
    for (std::uint32_t dst = 0; dst < src; ++dst) {
      const Hardware::Fabric::Level& level = topology.level(RankId{src}, RankId{dst});
      for (const std::string& place : {"levels." + level.name, "planes." + fabric.planes[level.plane].name}) {
        if (std::ranges::find(places, place) == places.end()) places.push_back(place);
      }
    }
  }
  return places;
}

// Returns whether a run of the experiment uses the value.
bool uses(std::string_view path, const Experiment& experiment, const std::vector<std::string>& places) {
  const RunOptions& run = experiment.run;
  if (path == "program.launch.alone") return true;
  if (path.starts_with("program.launch.") || path.starts_with("program.signals.")) return charges(run, path);
  if (path.starts_with(kCollective)) return run.transport == Transport::kCollective;
  if (!path.starts_with(kFabric)) return false;
  path.remove_prefix(kFabric.size());
  if (!path.starts_with("levels.") && !path.starts_with("planes.")) return run.transport == Transport::kPuts;
  return std::ranges::any_of(places, [&](const std::string& place) { return path.starts_with(place + '.'); });
}

// For times, less is fast; for rates, and parts of a rate, more is.
bool is_time(const SourcedValue& value) { return value.value.ends_with("s") && !value.value.ends_with("/s"); }

// Returns the experiment with all these values at one end of their ranges.
Experiment at_ends(const Experiment& experiment, const std::vector<SourcedValue>& values, bool fast) {
  std::vector<std::string> overrides;
  for (const SourcedValue& value : values)
    overrides.push_back(fmt::format("{}={}", value.path, is_time(value) == fast ? value.low : value.high));
  return experiment.with_machine(overrides);
}

std::vector<Duration> latencies(const Experiment& experiment, const Compiled& compiled) {
  std::vector<Duration> passes;
  for (std::size_t p = 0; p < compiled.passes.size(); ++p)
    passes.push_back(run_pass(experiment, compiled, p, options_of(experiment, false)).makespan);
  return passes;
}

}  // namespace

LatencyRange latency_range(const Experiment& experiment, const Compiled& compiled) {
  LatencyRange range;
  Diagnostics diagnostics;
  const Config root = Config::from(*experiment.tree, {}, diagnostics);
  const std::vector<std::string> places = meeting_places(experiment);
  for (const SourcedValue& value : sourced_values(root)) {
    if (!value.low.empty() && uses(value.path, experiment, places)) range.assumed.push_back(value);
  }
  range.fast = latencies(at_ends(experiment, range.assumed, true), compiled);
  range.slow = latencies(at_ends(experiment, range.assumed, false), compiled);
  return range;
}

}  // namespace a3sim
