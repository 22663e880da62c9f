#include "sim/diagnosis/jobs/cable_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

// What a cable carries: of which two ranks which part, as parts of a whole.
using CarriedParts = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>>;

bool is_plugged_into_host(const Cable& cable) {
  return cable.from.starts_with("host") || cable.to.starts_with("host");
}

void add_plane(const CablePlane& plane, const Hardware::Fabric& fabric,
               const std::vector<std::uint32_t>& dies, std::vector<ObservedCables>& cables) {
  const Placement placement = placement_of(fabric, dies);
  std::vector<CarriedParts> carried(plane.layout->cables().size());
  for (std::uint32_t s = 0; s < dies.size(); ++s) {
    for (std::uint32_t d = 0; d < dies.size(); ++d) {
      if (s == d || fabric.levels[placement.distance(s, d) - 1].plane != plane.plane) continue;
      for (const CableShare& share : cable_path(*plane.layout, dies[s], dies[d], plane.rule))
        carried[share.cable].emplace_back(s, d, share.parts, share.whole);
    }
  }
  std::map<CarriedParts, std::size_t> known;
  for (std::size_t c = 0; c < carried.size(); ++c) {
    const Cable& cable = plane.layout->cables()[c];
    if (carried[c].empty() || is_plugged_into_host(cable)) continue;
    const auto [place, is_new] = known.try_emplace(carried[c], cables.size());
    if (is_new) {
      ObservedCables& added = cables.emplace_back();
      for (const auto& [s, d, parts, whole] : carried[c])
        added.ways.push_back({s, d, static_cast<double>(parts) / whole});
    }
    cables[place->second].names.push_back(cable.name());
  }
}

}  // namespace

std::vector<ObservedCables> planned_cables(const Experiment& experiment) {
  std::vector<ObservedCables> cables;
  for (const CablePlane& plane : experiment.run.cables)
    add_plane(plane, experiment.hardware.fabric, dies_of(experiment.run.ranks), cables);
  return cables;
}

}  // namespace a3sim
