#pragma once

#include <vector>

#include "sim/result/analysed_run.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds the way from the bound to the latency of each traced pass; of several runs the way from the first
// one's latency to that of each other run.
void add_waterfalls(Page& page, const std::vector<AnalysedRun>& runs);

}  // namespace a3sim
