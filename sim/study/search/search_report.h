#pragma once

#include "sim/study/search/search_findings.h"
#include "traces/report/report.h"

namespace a3sim {

// Reports to people the winner, its gain in training and beyond, the reasons, and how the search went.
Report search_report(const SearchProblem& problem, const SearchOptions& options,
                     const SearchFindings& findings);

}  // namespace a3sim
