#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/study/search/search_findings.h"

namespace a3sim {

// All that a search has to say, for programs. Gains are fractions of the best shipped order's latency, `curve` has the
// gain where it grew, and `front` the candidates that no other one is better than in latency (ms), vector cores and
// spread over draws at once. `too_slow` are the choices most of whose candidates were ended early. `rule` is true where sort
// keys say the order, and false where lists do.
nlohmann::ordered_json search_json(const SearchProblem& problem, const SearchOptions& options,
                                   const SearchFindings& findings);

}  // namespace a3sim
