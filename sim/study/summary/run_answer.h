#pragma once

#include <vector>

#include "sim/study/summary/known_run.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds the main results: a table of the passes of one run, or of several runs with their differences to the
// first, and for each pass a sentence on what limits it and what to try.
void add_answer(Page& page, const std::vector<KnownRun>& runs);

}  // namespace a3sim
