#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/runtime/cable_use.h"
#include "traces/report/report.h"

namespace a3sim {

// A pass, and what its cables carried.
struct PassCables {
  std::string name;
  const std::vector<CableUse>* cables;
};
// Adds the load of each pass's cables, level by level, with the most used cable.
void add_cables(std::span<const PassCables> passes, Report& report);
// Adds the cables of one pass that carried most, for programs.
void add_hottest_cables(const std::vector<CableUse>& cables, Report& report);

// Says which cable was full for longest. Empty if none was full for a twentieth of the time.
std::string full_cable(std::string_view pass, Duration makespan, const std::vector<CableUse>& cables);

}  // namespace a3sim
