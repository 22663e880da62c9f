#include "sim/runtime/cable_planes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

namespace a3sim {
namespace {

void refuse_other_planes(const Config& block, const Hardware::Fabric& fabric) {
  std::vector<std::string> known;
  for (const Hardware::Fabric::Plane& plane : fabric.planes) known.push_back(plane.name);
  for (const std::string& name : block.names()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    block.let_stand(name);
    block.error(name, fmt::format("the hardware has no such plane, expected {}", fmt::join(known, ", ")));
  }
}

}  // namespace

CablePlanes read_cable_planes(const Config& network, const Hardware::Fabric& fabric,
                              const std::vector<std::uint32_t>& dies) {
  CablePlanes planes;
  const Config topology = network.map("topology"), routes = network.map("routes");
  refuse_other_planes(topology, fabric);
  refuse_other_planes(routes, fabric);
  for (std::uint32_t p = 0; p < fabric.planes.size(); ++p) {
    const std::string& name = fabric.planes[p].name;
    if (!topology.has(name)) {
      if (routes.has(name)) {
        routes.let_stand(name);
        routes.error(
            name, "there is no topology of this plane that routes could go over: add it, or leave this out");
      }
      continue;
    }
    const Config map = topology.map(name);
    const auto kind = map.registered<TopologyKind>("kind");
    std::shared_ptr<const CableLayout> layout;
    if (kind) layout = TopologyKinds::get(*kind).read(map);
    map.finish();
    RouteRule rule;
    if (routes.has(name)) rule = read_route_rule(routes, name);
    if (!layout) continue;
    const std::uint32_t last = dies.empty() ? 0 : *std::ranges::max_element(dies);
    if (last >= layout->hosts()) {
      topology.error(name, fmt::format("{} hosts, and a rank lies on die {}: more hosts, or a smaller group",
                                       layout->hosts(), last));
      continue;
    }
    planes.push_back({p, std::move(layout), rule});
  }
  topology.finish();
  routes.finish();
  return planes;
}

}  // namespace a3sim
