#pragma once

#include <string>

#include "sim/study/results/sweep_results.h"
#include "traces/report/report.h"

namespace a3sim {

// Adds what follows from a sweep, in sentences with figures: the shape along each numeric axis (a knee, an interior
// optimum, a step) and what binds on either side of it, and which axis matters most. It says 'none', and why, where
// nothing follows.
void conclude(const SweepResults& sweep, const std::string& pass, const std::string& metric, Report& report);

}  // namespace a3sim
