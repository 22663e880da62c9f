#pragma once

#include <string>

#include "sim/sweep/results/sweep_results.h"
#include "traces/report/report.h"

namespace a3sim {

// Adds each axis's share of a metric's variance and the mean of each of its values. If the points do not
// allow that, the report says why. The tables are for programs, or for a page's readers.
void add_effects(const SweepResults& sweep, const std::string& pass, const std::string& metric,
                 Report& report, Audience tables = Audience::kPrograms);

}  // namespace a3sim
