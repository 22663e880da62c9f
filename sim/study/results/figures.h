#pragma once

#include <string>
#include <vector>

#include "sim/study/results/best_view.h"
#include "sim/study/results/sweep_results.h"
#include "traces/report/figure.h"

namespace a3sim {

// So many lines, and colours of points, can be told apart.
inline constexpr std::size_t kMostSeries = 24, kMostColors = 8;

// All throw InputError when there is nothing to draw.

// The metric over an axis: a line through the medians, one a value of the axis `series` (empty: one line),
// and a band from the least to the most where several points share a place.
Figure lines_figure(const SweepResults& sweep, const ResultMetric& metric, const std::string& x,
                    const std::string& series);

// A cell for each pair of values, with the median of its points.
Figure heat_figure(const SweepResults& sweep, const ResultMetric& metric, const std::string& rows,
                   const std::string& columns);

// All points over two objectives, and those that no other beats as a line of steps, numbered, with their
// places on the axes in the legend; colours by the axis `series`, if there is one.
Figure pareto_figure(const SweepResults& sweep, const std::vector<Objective>& objectives,
                     const std::string& series);

}  // namespace a3sim
