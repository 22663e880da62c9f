#pragma once

#include "sim/study/results/sweep_results.h"
#include "traces/report/page/page.h"

namespace a3sim {

// A sweep as sections of a page: its points, of which the page itself draws what the reader chooses; what matters most; what
// failed.
void add_sweep(Page& page, const SweepResults& sweep);

}  // namespace a3sim
