#pragma once

#include <string>
#include <vector>

#include "sim/core/units.h"
#include "sim/runtime/cable_use.h"
#include "traces/report/figure.h"
#include "traces/report/table.h"

namespace a3sim {

// Returns the ten most used cables of a pass, and whose bytes they carried, if that was recorded.
Table hottest_cables(const std::vector<CableUse>& cables);

// Plots what they carried over time. Cables with the same load at all times share a line. No series if
// loads were not recorded.
Figure cables_over_time(const std::string& title, Duration makespan, const std::vector<CableUse>& cables);

// Draws hosts and switches with the cables between them, in one row per kind or, if all are of one kind, on
// a circle. Colours show the used part of a cable's rate. Both directions lie side by side; the one upwards
// is on the left.
Figure cable_map(const std::string& title, const std::vector<CableUse>& cables);

}  // namespace a3sim
