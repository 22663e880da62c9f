#pragma once

#include <string>
#include <vector>

#include "sim/core/units.h"
#include "sim/runtime/cable_use.h"
#include "traces/report/figure.h"
#include "traces/report/table.h"

namespace a3sim {

// The ten cables of a pass that were used most, and whose bytes they carried where that was recorded.
Table hottest_cables(const std::vector<CableUse>& cables);

// What these carried over time; cables that carried the same at all times are one line. No series where that was not recorded.
Figure cables_over_time(const std::string& title, Duration makespan, const std::vector<CableUse>& cables);

// Hosts and switches, a row for each kind, or round a circle where all are of one kind; the cables between them, coloured by the
// part of their rate that they carried. Both ways of a cable lie beside one another, up to the left.
Figure cable_map(const std::string& title, const std::vector<CableUse>& cables);

}  // namespace a3sim
