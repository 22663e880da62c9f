#pragma once

#include <string>
#include <vector>

#include "sim/sweep/results/sweep_results.h"
#include "traces/report/report.h"

namespace a3sim {

// A metric over two axes.
struct ResultPivot {
  std::size_t rows = 0, columns = 0;  // axes
  struct Cell {
    std::vector<double> values;  // of all points in the cell, ascending
    double median() const;       // needs at least one value
  };
  std::vector<std::vector<Cell>> cells;  // one row for each value of `rows`
};

ResultPivot pivot_of(const SweepResults& sweep, std::size_t rows, std::size_t columns,
                     const ResultMetric& metric);

// Returns the other axes with several values. A pivot, or a line of a plot, takes the median over them.
std::vector<std::string> other_axes(const SweepResults& sweep, const std::vector<std::size_t>& used);

// Throws InputError if a cell would be the median of points that differ by more than a tenth. The error
// names the axes and says how to choose.
void refuse_unlike_points(const SweepResults& sweep, const std::string& rows, const std::string& columns,
                          const ResultMetric& metric);

Report pivot_view(const SweepResults& sweep, const std::string& rows, const std::string& columns,
                  const ResultMetric& metric);

}  // namespace a3sim
