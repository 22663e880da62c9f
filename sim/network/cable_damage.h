#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/network/cable_layout.h"

namespace a3sim {

// Cables whose rate is multiplied by `factor`. 0: they are dead, and routes avoid them; above 1: they are
// faster than stated. With a period, only during the first `on` of each.
struct CableDamage {
  std::vector<std::uint32_t> cables;
  double factor = 1;
  Duration period{}, on{};

  bool changes() const { return period > Duration::zero() && on < period; }
};

// Reads a damage from a mapping. `cable: leaf3-spine7` names a cable in both directions, `leaf3->spine7` in
// one (all cables between the two; `leaf3-spine7#1` names one of them); `switch: spine2` names all cables of
// a switch, `level: leaf-spine` all of a level. `factor` is from 0 to 1; `period` and `duty` describe
// intermittent damage. Notes an error, with the most similar name, for a cable that the layout lacks; without
// a layout, any name is accepted.
CableDamage read_cable_damage(const Config& entry, const CableLayout* layout);

// The rates of a layout's cables under permanent damage, and which cables are dead.
struct CableRates {
  std::vector<BytesPerSecond> rates;  // by cable; a dead one keeps its own, since no route uses it
  std::vector<bool> dead;             // by cable; empty: no cable is dead
};
CableRates damaged_rates(const CableLayout& layout, const std::vector<CableDamage>& damages);

}  // namespace a3sim
