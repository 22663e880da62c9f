#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/units.h"
#include "sim/runtime/cable_use.h"

namespace a3sim {

// What the cables of a recorded pass carried over time, and whose bytes these were, in cables_PASS.csv and
// cable_traffic_PASS.csv.
std::string cables_csv(const std::vector<CableUse>& cables, Duration makespan);
std::string cable_traffic_csv(const std::vector<CableUse>& cables);

// Read them back into cables that are there by their names; others are left out. Throw InputError with file and line.
void read_cables_csv(std::string_view csv, const std::string& file, std::vector<CableUse>& cables);
void read_cable_traffic_csv(std::string_view csv, const std::string& file, std::vector<CableUse>& cables);

}  // namespace a3sim
