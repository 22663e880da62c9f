#pragma once

#include <string>
#include <vector>

#include "sim/study/results/result_view.h"
#include "sim/study/results/sweep_results.h"

namespace a3sim {

// The first columns of every row that stands for a point.
std::vector<ResultCell> axis_cells(const SweepResults& sweep, std::size_t point);
std::vector<std::string> axis_names(const SweepResults& sweep);
// A metric's value at a point, or nothing.
ResultCell metric_cell(const ResultMetric& metric, std::size_t point);

// Every point with its values on the axes, its status and `metrics` (all of the pass when there are none).
ResultView points_view(const SweepResults& sweep, const std::string& pass,
                       const std::vector<std::string>& metrics);

// How many points the sweep has, and how many of them are done, failed and not yet run.
std::string counts_line(const SweepResults& sweep);
nlohmann::ordered_json counts_json(const SweepResults& sweep);

// The failed points with their errors; empty when none failed.
std::string failures_text(const SweepResults& sweep, std::size_t most);

}  // namespace a3sim
