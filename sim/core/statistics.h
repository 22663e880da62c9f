#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace a3sim {

// Returns the mean; 0 without numbers.
double arithmetic_mean(std::span<const double> numbers);

// Returns the value below which a share of the numbers lies, interpolated linearly between neighbours. Needs
// at least one number.
double quantile(std::vector<double> numbers, double share);

// Returns the middle number, or the mean of the two in the middle; 0 without numbers.
double median(std::vector<double> numbers);

// A mean with its 95 % confidence interval by Student's t distribution. For a single number the interval is
// that number.
struct MeanInterval {
  double mean = 0, low = 0, high = 0;
};
MeanInterval mean_interval(std::span<const double> numbers);
// Returns the mean and interval of the groups' means, so that only the spread between groups counts. Groups
// must not be empty.
MeanInterval mean_interval_of_groups(const std::vector<std::vector<double>>& groups);

// The median of a sample, and a 95 % confidence interval for the median of its population. The limits are
// order statistics, and no distribution is assumed (David, Nagaraja, Order Statistics, ch. 7.1). With fewer
// than six numbers the interval is their range.
struct MedianInterval {
  double median = 0, low = 0, high = 0;
  // True if the interval excludes zero.
  bool clear() const { return low > 0 || high < 0; }
};
constexpr std::uint32_t kFewestRuns = 6;  // needed for the interval
MedianInterval median_interval(std::vector<double> numbers);

// A table split into a common part, a part for each row, one for each column, and the rest (Tukey, 1977).
// Medians are subtracted from rows and columns in turn. Cells may be missing.
struct MedianPolish {
  double overall = 0;
  std::vector<double> rows, columns;
  std::vector<std::vector<double>> rest;  // NaN for missing cells
};

// Splits a table. `cells` is indexed by row, then column; missing cells are NaN.
MedianPolish median_polish(std::vector<std::vector<double>> cells);

}  // namespace a3sim
