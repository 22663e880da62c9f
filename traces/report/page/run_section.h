#pragma once

#include <span>
#include <string>

#include "traces/report/page/operator_colors.h"
#include "traces/report/page/page.h"
#include "traces/trace.h"

namespace a3sim {

// The timelines of runs, one below the other, with their critical paths, what happened over time, and what
// went between ranks. Throws InputError where a trace's tasks do not fit each other.
void add_runs(Page& page, std::span<const NamedRun> runs, const OperatorColors& colors);

}  // namespace a3sim
