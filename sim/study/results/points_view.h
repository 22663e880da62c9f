#pragma once

#include <string>
#include <vector>

#include "sim/study/results/sweep_results.h"
#include "traces/report/report.h"

namespace a3sim {

// Parts that all views of a sweep share: the key of the table, and headings as "latency (ms)".
inline constexpr const char* kResultRows = "rows";
std::string heading(const std::string& name, const std::string& unit);
Column metric_column(const ResultMetric& metric);

// Return the first columns of every row that stands for a point, and the point's cells in them.
std::vector<Column> axis_columns(const SweepResults& sweep);
std::vector<Cell> axis_cells(const SweepResults& sweep, std::size_t point);
// Returns a metric's value at a point; empty if it has none.
Cell metric_cell(const ResultMetric& metric, std::size_t point);

// Adds every point with its values on the axes, its status and `metrics` (empty: all of the pass).
void add_points(const SweepResults& sweep, const std::string& pass, const std::vector<std::string>& metrics,
                Report& report);

// Returns how many points the sweep has, and how many are done, failed and not yet run.
std::string counts_line(const SweepResults& sweep);

// Returns the first `most` failed points with their errors; empty if none failed.
std::string failures_text(const SweepResults& sweep, std::size_t most);

}  // namespace a3sim
