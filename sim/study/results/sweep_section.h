#pragma once

#include "sim/study/results/sweep_results.h"
#include "traces/report/page/page.h"

namespace a3sim {

// A sweep as sections of a page: what follows from it, figures of each metric over each pair of axes and of
// each pair of metrics, all points.
void add_sweep(Page& page, const SweepResults& sweep);

}  // namespace a3sim
