#pragma once

#include <vector>

#include "sim/result/analysed_run.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Adds the main results: a table of the passes of one run, or of several runs with their differences to the
// first, and for each pass a sentence on what limits it.
void add_answer(Page& page, const std::vector<AnalysedRun>& runs);
// Adds what that sentence is taken from: what each part of the machine gains, or where nothing was tried the causes on the path.
void add_candidates(Page& page, const std::vector<AnalysedRun>& runs);

}  // namespace a3sim
