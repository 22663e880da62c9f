#pragma once

#include <string>
#include <vector>

#include "sim/study/results/sweep_results.h"
#include "traces/report/report.h"

namespace a3sim {

// The page about a sweep: how many points are done, a table of all with `metrics`, the failed ones with their
// errors, and what matters most for the metric `value` (for the first that there is, when it is empty). All metrics
// of the pass when `metrics` is empty.
Report sweep_page(const SweepResults& sweep, const std::string& pass, const std::vector<std::string>& metrics,
                  const std::string& value, std::size_t most_failures);

// As many metrics of the pass as go on a terminal.
std::vector<std::string> page_metrics(const SweepResults& sweep, const std::string& pass);

// The sweeps of a database with their counts.
Report sweeps_view(const std::vector<SweepResults>& sweeps);

}  // namespace a3sim
