#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "traces/report/report.h"

namespace a3sim {

// Adds the load of each pass's cables, level by level, with the most used cable.
void add_cables(std::span<const PassResult> passes, Report& report);
// Adds the cables of one pass that carried most, for programs.
void add_hottest_cables(const PassResult& pass, Report& report);

// Says which cable was full for longest. Empty if none was full for a twentieth of the time.
std::string full_cable(std::string_view pass, Duration makespan, const std::vector<CableUse>& cables);

}  // namespace a3sim
