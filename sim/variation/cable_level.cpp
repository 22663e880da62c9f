#include "sim/variation/cable_level.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

void change_cables(Experiment& experiment, const CableLevel& level, double factor) {
  for (CablePlane& plane : experiment.run.cables) {
    if (experiment.hardware.fabric.planes[plane.plane].name != level.plane) continue;
    CableDamage& cables = plane.damages.emplace_back();
    cables.factor = factor;
    const std::vector<Cable>& all = plane.layout->cables();
    for (std::uint32_t c = 0; c < all.size(); ++c)
      if (all[c].level == level.name) cables.cables.push_back(c);
  }
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
  return {
      fmt::format("{} x {}", level.name, factor),
      {},
      [level, factor](const Experiment& base) {
        Experiment changed = base;
        changed.amend([level, factor](Experiment& experiment) { change_cables(experiment, level, factor); });
        return changed;
      },
      true};
}

}  // namespace a3sim
