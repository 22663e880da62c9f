#pragma once

#include <string>
#include <vector>

#include "sim/variation/variation.h"

namespace a3sim {

// The cables of one level of a plane's topology.
struct CableLevel {
  std::string plane, name;
  std::uint32_t cables = 0;  // in one direction each
};

// Returns the levels from the hosts up; none where no plane has a topology.
std::vector<CableLevel> cable_levels(const Experiment& experiment);
// Returns the experiment with all cables of a level at so many times their rates.
Variation cables_at(const CableLevel& level, double factor);

}  // namespace a3sim
