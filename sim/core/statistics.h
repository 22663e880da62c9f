#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace a3sim {

// The mean of the numbers; 0 if there are none.
double arithmetic_mean(std::span<const double> numbers);

// The value that a share of the numbers lies below, interpolated linearly between neighbours. Needs at least one
// number.
double quantile(std::vector<double> numbers, double share);

// The middle number, or the mean of the two in the middle; 0 if there are none.
double median(std::vector<double> numbers);

// A mean with the 95 % confidence interval that Student's t distribution gives. The interval of a single number is
// that number.
struct MeanInterval {
  double mean = 0, low = 0, high = 0;
};
MeanInterval mean_interval(std::span<const double> numbers);
// The same over the means of groups, so that only the spread between groups counts. No group is empty.
MeanInterval mean_interval_of_groups(const std::vector<std::vector<double>>& groups);

// The median of a sample, and a 95 % confidence interval for the median of its population. The interval lies between
// order statistics and assumes no distribution (David, Nagaraja, Order Statistics, ch. 7.1). It needs six numbers; of
// fewer it is the range.
struct MedianInterval {
  double median = 0, low = 0, high = 0;
  // Whether the interval excludes zero.
  bool clear() const { return low > 0 || high < 0; }
};
constexpr std::uint32_t kFewestRuns = 6;  // for such an interval
MedianInterval median_interval(std::vector<double> numbers);

// A table as a common part, a part for each row, one for each column, and the rest (Tukey, 1977): medians are taken
// off rows and columns in turn. Cells may be missing.
struct MedianPolish {
  double overall = 0;
  std::vector<double> rows, columns;
  std::vector<std::vector<double>> rest;  // NaN where there is no cell
};

// `cells` are by row and column, NaN where one is missing.
MedianPolish median_polish(std::vector<std::vector<double>> cells);

}  // namespace a3sim
