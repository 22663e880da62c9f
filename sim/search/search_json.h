#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/search/search_findings.h"

namespace a3sim {

// Returns all results of a search for programs. Gains are parts of the best shipped order's latency.
// `curve` has the gain at each improvement. `front` has the candidates that no other one beats in latency
// (ms), vector cores and spread over draws at once. `too_slow` has the choices most of whose candidates
// were ended early. `rule` is true if the order is given by sort keys, false if by lists.
nlohmann::ordered_json search_json(const SearchProblem& problem, const SearchOptions& options,
                                   const SearchFindings& findings);

}  // namespace a3sim
