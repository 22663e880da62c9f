#pragma once

#include <string>
#include <vector>

#include "sim/sweep/results/sweep_results.h"
#include "traces/report/report.h"

namespace a3sim {

// Reports a sweep: how many points are done, a table of all points with `metrics` (empty: all of the pass),
// failed points with their errors, and what matters most for the metric `value` (empty: the first one).
Report sweep_page(const SweepResults& sweep, const std::string& pass, const std::vector<std::string>& metrics,
                  const std::string& value, std::size_t most_failures);

// Returns as many metrics of the pass as fit on a terminal.
std::vector<std::string> page_metrics(const SweepResults& sweep, const std::string& pass);

// Returns the pass that is shown first: all of them, if the sweep has sums.
std::string first_pass(const SweepResults& sweep);
// Returns the metric of the pass that is shown first.
std::string first_metric(const SweepResults& sweep, const std::string& pass);

// Lists the sweeps of a database with their counts.
Report sweeps_view(const std::vector<SweepResults>& sweeps);

}  // namespace a3sim
