#pragma once

#include "sim/sweep/results/sweep_results.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds a sweep to a page: its points, which the page plots as the reader chooses; what matters most; failed
// points.
void add_sweep(Page& page, const SweepResults& sweep);

}  // namespace a3sim
