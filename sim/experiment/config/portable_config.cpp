#include "sim/experiment/config/portable_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/config/config.h"
#include "sim/core/read_file.h"

namespace a3sim {

PortableConfig portable(const Experiment& experiment) {
  PortableConfig config;
  std::vector<std::string> overrides;
  const auto add = [&](const std::string& file, const std::string& key, const std::string& name) {
    if (file.empty()) return;
    config.files.emplace_back(name, read_file(file));
    overrides.push_back(key + '=' + name);
  };
  // A rank table is kept as the dies that it says.
  const auto from_table = [](const auto& value) { return value.first == "parallel.hosts.file"; };
  if (std::ranges::any_of(experiment.values, from_table))
    overrides.push_back(fmt::format("parallel.hosts=[{}]", fmt::join(dies_of(experiment.run.ranks), ", ")));
  add(experiment.routing.file, "routing.file", "routing.csv");
  add(experiment.order.list_file[0], "order.ctq_list", "order_ctq.csv");
  add(experiment.order.list_file[1], "order.vtq_list", "order_vtq.csv");
  for (const CablePlane& plane : experiment.run.cables) {
    const std::string& name = experiment.hardware.fabric.planes.at(plane.plane).name;
    add(plane.layout->file(), "network.topology." + name + ".file", name + ".xml");
  }
  config.resolved = experiment.resolved;
  config.values = experiment.values;
  if (overrides.empty()) return config;
  Diagnostics diagnostics;
  const Config root = Config::parse(experiment.resolved, "resolved.yaml", overrides, diagnostics);
  config.resolved = root.resolved();
  config.values = root.values();
  diagnostics.throw_if_any();
  return config;
}

}  // namespace a3sim
