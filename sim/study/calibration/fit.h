#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sim/study/calibration/sensitivity.h"

namespace a3sim {

// Columns of equal length.
using ColumnList = std::vector<std::vector<double>>;

struct SingularValues {
  std::vector<double> values;  // of each direction, the largest first
  ColumnList directions;       // unit vectors, as long as there are columns, orthogonal to each other
};

// Singular values and right singular vectors: how long each combination of the columns with a sum of squares
// of 1 is. A direction's largest component is positive.
SingularValues singular_values(const ColumnList& columns);

// Positions in [0, 1] that bring a model's values close to published ones. The model is asked once for each
// position, whatever asks for it; many threads may fit at once.
class FitProblem {
 public:
  // `start` is admissible; values and published ones are positive.
  FitProblem(Model model, Admissible admissible, std::vector<double> published, std::vector<double> start);

  struct Fit {
    std::vector<double> positions;
    double objective = 0;  // the sum of the squared logarithms of value by published value
  };
  // The best fit to all published values, from the start and from the middle of all ranges.
  Fit fit() const;
  // The best fit without one of them, from where the fit to all has ended.
  Fit fit_without(std::size_t left_out, const Fit& all) const;

  // Throws RunError for a value that is not positive.
  std::vector<double> values(std::span<const double> positions) const;
  double objective(std::span<const double> positions, std::optional<std::size_t> left_out = {}) const;

  // By parameter: how the logarithm of each value changes, were it to go on as it does here over the
  // parameter's whole range.
  ColumnList jacobian(std::span<const double> positions) const;
  // By parameter: the most that any value changes (as its logarithm) between both ends of its range.
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
