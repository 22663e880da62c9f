#pragma once

#include <string>
#include <vector>

#include "sim/sweep/results/sweep_results.h"
#include "traces/report/report.h"

namespace a3sim {

// Common to all views of a sweep: the key of the table, "latency (ms)" for people, and "latency_ms" for programs: all
// but letters and digits is '_', and "%" is "percent".
inline constexpr const char* kResultRows = "rows";
std::string heading(const std::string& name, const std::string& unit);
std::string metric_key(const std::string& name, const std::string& unit);
Column metric_column(const ResultMetric& metric);

// The first columns of every row that stands for a point, and its cells there. Programs see numbers on an axis that has
// nothing else.
std::vector<Column> axis_columns(const SweepResults& sweep);
std::vector<Cell> axis_cells(const SweepResults& sweep, std::size_t point);
// Returns a metric's value at a point; empty if it has none.
Cell metric_cell(const ResultMetric& metric, std::size_t point);

// Adds every point with its values on the axes, its status and `metrics` (empty: all of the pass).
void add_points(const SweepResults& sweep, const std::string& pass, const std::vector<std::string>& metrics,
                Report& report);

// Returns how many points the sweep has, and how many are done, failed and not yet run.
std::string counts_line(const SweepResults& sweep);

// Says how many points are missing; empty if none are.
std::string missing_text(const SweepResults& sweep);

// Returns the first `most` errors, each with the first point that failed so and how many others did; all points where `most` is as many.
std::string failures_text(const SweepResults& sweep, std::size_t most);

}  // namespace a3sim
