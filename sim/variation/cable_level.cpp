#include "sim/variation/cable_level.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

Experiment with_cables_at(const Experiment& base, const CableLevel& level, double factor) {
  Experiment changed = base;
  for (CablePlane& plane : changed.run.cables) {
    if (base.hardware.fabric.planes[plane.plane].name != level.plane) continue;
    CableDamage& cables = plane.damages.emplace_back();
    cables.factor = factor;
    const std::vector<Cable>& all = plane.layout->cables();
    for (std::uint32_t c = 0; c < all.size(); ++c)
      if (all[c].level == level.name) cables.cables.push_back(c);
  }
  return changed;
}

}  // namespace

std::vector<CableLevel> cable_levels(const Experiment& experiment) {
  std::vector<CableLevel> levels;
  for (const CablePlane& plane : experiment.run.cables) {
    const std::string& name = experiment.hardware.fabric.planes[plane.plane].name;
    for (const Cable& cable : plane.layout->cables()) {
      const auto known = std::ranges::find_if(
          levels, [&](const CableLevel& level) { return level.plane == name && level.name == cable.level; });
      if (known == levels.end())
        levels.push_back({name, cable.level, 1});
      else
        ++known->cables;
    }
  }
  return levels;
}

Variation cables_at(const CableLevel& level, double factor) {
  return {fmt::format("{} x {}", level.name, factor),
          {},
          [level, factor](const Experiment& base) { return with_cables_at(base, level, factor); },
          true};
}

}  // namespace a3sim
