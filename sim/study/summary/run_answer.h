#pragma once

#include <vector>

#include "sim/study/summary/known_run.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds what a reader wants first: a table of the passes of one run, or of the quantities of several runs with
// their differences to the first; then a sentence for each pass on what limits it and what to try.
void add_answer(Page& page, const std::vector<KnownRun>& runs);

}  // namespace a3sim
