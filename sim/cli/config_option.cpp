#include "sim/cli/config_option.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

// A value of a plane over which no two ranks meet changes nothing, whatever it is.
void warn_of_unused_planes(const Experiment& experiment, const std::vector<std::string>& overrides) {
  std::vector<std::uint32_t> dies;
  for (const RankOptions& rank : experiment.run.ranks) dies.push_back(rank.die);
  const Topology topology(experiment.hardware, dies, experiment.run.transport);
  const auto& planes = experiment.hardware.fabric.planes;
  for (std::uint32_t p = 0; p < planes.size(); ++p) {
    const std::string key = "hardware.fabric.planes." + planes[p].name + '.';
    const auto of_plane = std::ranges::find_if(
        overrides, [&](const std::string& override) { return override.starts_with(key); });
    if (of_plane == overrides.end() || topology.uses(p)) continue;
    spdlog::warn("--set {}: no two ranks meet over plane '{}' here, so it changes nothing", *of_plane,
                 planes[p].name);
  }
}

}  // namespace

void ConfigOption::add_to(CLI::App& app) {
  app.add_option("CONFIG", file, "experiment (YAML)")->required();
  app.add_option("--set", set, "override a value: path.to.key=value; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

Experiment ConfigOption::load() const {
  Experiment experiment = load_experiment(file, set);
  warn_of_unused_planes(experiment, set);
  return experiment;
}

}  // namespace a3sim
