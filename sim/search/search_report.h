#pragma once

#include <string>

#include "sim/search/search_findings.h"
#include "traces/report/report.h"

namespace a3sim {

// Returns what a search says first: the gain that is claimed, or why none is.
std::string search_headline(const SearchProblem& problem, const SearchFindings& findings);

// Reports to people the winner, its gain in training and beyond, the reasons, and how the search went.
Report search_report(const SearchProblem& problem, const SearchOptions& options,
                     const SearchFindings& findings);

}  // namespace a3sim
