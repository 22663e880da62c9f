#pragma once

#include <string>
#include <vector>

#include "sim/study/results/best_view.h"
#include "sim/study/results/sweep_results.h"

namespace a3sim {

// Plots as SVG that stands alone. All throw InputError when there is nothing to draw.

// The metric over an axis: a line through the medians, one a value of the axis `series` (empty: one line),
// and a band from the least to the most where several points share a place.
std::string lines_plot(const SweepResults& sweep, const ResultMetric& metric, const std::string& x,
                       const std::string& series);

// A cell for each pair of values, with the median of its points.
std::string heat_plot(const SweepResults& sweep, const ResultMetric& metric, const std::string& rows,
                      const std::string& columns);

// All points over two objectives, and those that no other beats as a line of steps with their places on the
// axes; colours by the axis `series`, if there is one.
std::string pareto_plot(const SweepResults& sweep, const std::vector<Objective>& objectives,
                        const std::string& series);

}  // namespace a3sim
