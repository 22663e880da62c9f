#pragma once

#include "sim/study/search/search_findings.h"
#include "traces/report/page/page.h"

namespace a3sim {

// A page of a search: what it found, and timelines of the configuration as it is under the best shipped order and under
// the one found, on one axis of time. Runs both once more, with each task's record.
Page search_page(const SearchProblem& problem, const SearchOptions& options, const SearchFindings& findings,
                 const CandidateRuns& runs);

}  // namespace a3sim
