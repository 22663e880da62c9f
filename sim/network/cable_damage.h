#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/network/cable_layout.h"

namespace a3sim {

// Cables that give a part of their rate; 0: they are dead, and routes go round them; above 1 they are faster than they are
// said to be. With a period, only during the first `on` of each.
struct CableDamage {
  std::vector<std::uint32_t> cables;
  double factor = 1;
  Duration period{}, on{};

  bool changes() const { return period > Duration::zero() && on < period; }
};

// Reads what is damaged and how from a mapping: `cable: leaf3-spine7` is a cable both ways, `leaf3->spine7` one way
// (of several cables between the two, all; `leaf3-spine7#1` is one of them); `switch: spine2` all cables at a switch;
// `level: leaf-spine` all of a level. `factor` from 0 to 1; `period` and `duty` for cables that come and go. Notes
// an error, with the most similar name, where the layout has no such cable; without a layout any name will do.
CableDamage read_cable_damage(const Config& entry, const CableLayout* layout);

// The rates of a layout's cables under what does not change in time, and which of them are dead.
struct CableRates {
  std::vector<BytesPerSecond> rates;  // by cable; of a dead one its own, as nothing takes it
  std::vector<bool> dead;             // by cable; empty: none is
};
CableRates damaged_rates(const CableLayout& layout, const std::vector<CableDamage>& damages);

}  // namespace a3sim
