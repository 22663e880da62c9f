#pragma once

#include "sim/diagnosis/rules/advice.h"
#include "traces/profiled_time.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds what a profile from hardware says of its time: the parts of each rank's step, groups of ranks and for whom they wait,
// exchanges with their parts, pairs of ranks from communication_matrix.json, and kernels by what binds them.
void add_profile(Page& page, const ProfiledTime& time, const Advice& advice);

}  // namespace a3sim
