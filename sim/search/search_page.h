#pragma once

#include "sim/search/search_findings.h"
#include "traces/report/page/page.h"

namespace a3sim {

// Returns a page of a search: its findings, and timelines of the configuration under the best shipped order
// and under the found one, on a common axis. Runs both once more, with task records.
Page search_page(const SearchProblem& problem, const SearchOptions& options, const SearchFindings& findings,
                 const CandidateRuns& runs);

}  // namespace a3sim
