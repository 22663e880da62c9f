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

// `damage: [{plane: hccs, cable: leaf3-spine7, factor: 0.1}, {plane: hccs, switch: spine2, factor: 0}]`.
void read_damages(const Config& network, const Hardware::Fabric& fabric, CablePlanes& planes) {
  for (const Config& entry : network.maps("damage")) {
    CablePlane* const plane = read_cable_plane(entry, planes, fabric);
    for (const char* key : {"cable", "switch", "level", "factor", "period", "duty"}) {
      if (!plane) entry.let_stand(key);
    }
    if (plane) plane->damages.push_back(read_cable_damage(entry, plane->layout.get()));
    entry.finish();
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
    planes.push_back({p, std::move(layout), rule, {}});
  }
  topology.finish();
  routes.finish();
  if (network.has("damage")) read_damages(network, fabric, planes);
  return planes;
}

CablePlane* read_cable_plane(const Config& entry, CablePlanes& planes, const Hardware::Fabric& fabric) {
  std::vector<std::string> names;
  for (const CablePlane& plane : planes) names.push_back(fabric.planes[plane.plane].name);
  if (!entry.has("plane") && planes.size() == 1) return &planes.front();
  if (names.empty()) {
    entry.let_stand("plane");
    entry.error("plane", "no plane has cables: network.topology says which there are");
    return nullptr;
  }
  const auto name = entry.name("plane", "plane with cables", names);
  const auto found = std::ranges::find(names, name.value_or(""));
  return found == names.end() ? nullptr : &planes[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace a3sim
