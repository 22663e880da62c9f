#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sim/published/fit/sensitivity.h"

namespace a3sim {

// Columns of equal length.
using ColumnList = std::vector<std::vector<double>>;

struct SingularValues {
  std::vector<double> values;  // one per direction, the largest first
  ColumnList directions;       // orthogonal unit vectors with one entry per column
};

// Returns the singular values and right singular vectors of the columns. The largest component of each
// direction is positive.
SingularValues singular_values(const ColumnList& columns);

// Searches positions in [0, 1] at which a model's values are close to published ones. Asks the model once
// for each position. Many threads may fit at once.
class FitProblem {
 public:
  // `start` must be admissible. All values, the model's and the published ones, must be positive.
  FitProblem(Model model, Admissible admissible, std::vector<double> published, std::vector<double> start);

  struct Fit {
    std::vector<double> positions;
    double objective = 0;  // the sum of the squared logarithms of value over published value
  };
  // Returns the best fit to all published values, started from `start` and from the middle of all ranges.
  Fit fit() const;
  // Returns the best fit without one of the values, started from the fit to all.
  Fit fit_without(std::size_t left_out, const Fit& all) const;

  // Returns the model's values. Throws RunError if one is not positive.
  std::vector<double> values(std::span<const double> positions) const;
  double objective(std::span<const double> positions, std::optional<std::size_t> left_out = {}) const;

  // Returns one column per parameter: the slope of each value's logarithm here, times the parameter's
  // range.
  ColumnList jacobian(std::span<const double> positions) const;
  // Returns, for each parameter, the largest change of any value's logarithm between both ends of its
  // range.
  std::vector<double> reach(std::span<const double> positions) const;

  std::size_t evaluations() const;  // of the model, so far

 private:
  Fit search(std::vector<double> from, double step, std::optional<std::size_t> left_out) const;

  Model model_;
  Admissible admissible_;
  std::vector<double> published_, start_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<double>, std::vector<double>> known_;
};

}  // namespace a3sim
