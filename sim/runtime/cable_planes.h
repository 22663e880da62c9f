#pragma once

#include <memory>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/device/hardware.h"
#include "sim/network/cable_damage.h"
#include "sim/network/cable_layout.h"

namespace a3sim {

// The cables of one of the hardware's planes. Host d of the layout is die d.
struct CablePlane {
  std::uint32_t plane = 0;  // its place in Hardware::Fabric::planes
  std::shared_ptr<const CableLayout> layout;
  RouteRule rule;
  std::vector<CableDamage> damages;  // during the whole run
};
using CablePlanes = std::vector<CablePlane>;

// Reads `topology` and `routes` of the block `network`, each by the name of a plane, and `damage`, a list. A plane without
// a topology has ports alone. Notes what is wrong: an unknown plane, fewer hosts than `dies` dies need.
CablePlanes read_cable_planes(const Config& network, const Hardware::Fabric& fabric,
                              const std::vector<std::uint32_t>& dies);

// The plane that an entry names with `plane`: one with cables. Without the key it is the only such plane. Notes an error,
// and returns nullptr, for others.
CablePlane* read_cable_plane(const Config& entry, CablePlanes& planes, const Hardware::Fabric& fabric);

}  // namespace a3sim
