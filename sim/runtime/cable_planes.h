#pragma once

#include <memory>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/device/hardware.h"
#include "sim/network/cable_damage.h"
#include "sim/network/cable_layout.h"

namespace a3sim {

// The cables of one plane of the hardware. Host d of the layout is die d.
struct CablePlane {
  std::uint32_t plane = 0;  // index into Hardware::Fabric::planes
  std::shared_ptr<const CableLayout> layout;
  RouteRule rule;
  std::vector<CableDamage> damages;  // throughout the run
};
using CablePlanes = std::vector<CablePlane>;

// Reads `topology`, `routes` (both keyed by the names of planes) and `damage` (a list) from the block
// `network`. A plane without a topology has only ports. Notes an error for an unknown plane, or a layout with
// fewer hosts than `dies` need.
CablePlanes read_cable_planes(const Config& network, const Hardware::Fabric& fabric,
                              const std::vector<std::uint32_t>& dies);

// Returns the plane that the entry's key `plane` names; it must have cables. Without the key, returns the
// only plane with cables. Otherwise notes an error and returns nullptr.
CablePlane* read_cable_plane(const Config& entry, CablePlanes& planes, const Hardware::Fabric& fabric);

}  // namespace a3sim
