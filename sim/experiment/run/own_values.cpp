#include "sim/experiment/run/own_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/core/config/value.h"
#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

constexpr std::size_t kShown = 4;

std::string first_values(const std::vector<std::string>& values) {
  const std::size_t shown = std::min(kShown, values.size());
  std::string text =
      fmt::format("{}", fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (values.size() > shown) text += fmt::format(" and {} more", values.size() - shown);
  return text;
}

// Returns whether a value is of the links between the experiment's ranks.
bool of_used_fabric(std::string_view path, const Experiment& experiment) {
  constexpr std::string_view kFabric = "hardware.fabric.";
  if (!path.starts_with(kFabric) || experiment.run.ranks.size() < 2) return false;
  path.remove_prefix(kFabric.size());
  const auto is_of = [&](std::string_view block, std::string_view name) {
    return path.starts_with(block) && path.substr(block.size()).starts_with(name) &&
           path.substr(block.size() + name.size()).starts_with('.');
  };
  if (!path.starts_with("levels.") && !path.starts_with("planes.")) return false;
  const Hardware::Fabric& fabric = experiment.hardware.fabric;
  const std::vector<std::uint32_t> dies = dies_of(experiment.run.ranks);
  const Topology topology(experiment.hardware, experiment.program, dies, experiment.run.transport);
  const Hardware::Fabric::Level& level =
      topology.level(RankId{0}, RankId{static_cast<std::uint32_t>(dies.size() - 1)});
  return is_of("levels.", level.name) || is_of("planes.", fabric.planes[level.plane].name);
}

}  // namespace

std::string own_values(const Experiment& experiment) {
  if (!experiment.tree) return "";
  Diagnostics ignored;
  const Config root = Config::from(*experiment.tree, {}, ignored);
  std::vector<std::string> changed, unsourced, assumed;
  for (const char* const block : {"hardware", "program"}) {
    if (!root.has(block)) continue;
    for (const SourcedValue& value : root.map(block).sourced()) {
      if (value.source == kOverrideFile) changed.push_back(value.path + '=' + value.value);
      if (value.source.empty() || value.source == kNotStated) unsourced.push_back(value.path);
      if (value.source.starts_with("assumed") && of_used_fabric(value.path, experiment))
        assumed.push_back(value.path + '=' + value.value);
    }
  }
  std::string text;
  if (!changed.empty()) text += fmt::format("set       {}\n", first_values(changed));
  if (!assumed.empty()) text += fmt::format("assumed   {}\n", first_values(assumed));
  if (!unsourced.empty()) text += fmt::format("unsourced {}\n", first_values(unsourced));
  return text;
}

}  // namespace a3sim
