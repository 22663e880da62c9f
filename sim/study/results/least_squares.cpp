#include "sim/study/results/least_squares.h"

#include <Eigen/QR>
#include <array>
#include <limits>

namespace a3sim {
namespace {

// The least squares of three functions of x: rows(x) gives their values.
template <class Row>
std::vector<double> fit_three(std::span<const double> x, std::span<const double> y, Row row_of) {
  std::vector<double> matrix(9, 0), right(3, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::array<double, 3> row = row_of(x[i]);
    for (std::size_t a = 0; a < 3; ++a) {
      right[a] += row[a] * y[i];
      for (std::size_t b = 0; b < 3; ++b) matrix[3 * a + b] += row[a] * row[b];
    }
  }
  return solve_normal_equations(matrix, right).coefficients;
}

// The best lines that meet at `join`.
BrokenLine fit_joined(std::span<const double> x, std::span<const double> y, double join) {
  const std::vector<double> c = fit_three(x, y, [&](double v) {
    const double d = v - join;
    return std::array<double, 3>{1, d < 0 ? d : 0, d < 0 ? 0 : d};
  });
  return {join, c[0], c[1], c[2]};
}

}  // namespace

NormalSolution solve_normal_equations(const std::vector<double>& matrix, const std::vector<double>& right) {
  // What is left of a pivot that should be zero, relative to the largest: rounding, a few hundred times over.
  constexpr double kZeroPivot = 1e-12;
  const auto size = static_cast<Eigen::Index>(right.size());
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(size, size);
  decomposition.setThreshold(kZeroPivot);
  decomposition.compute(Eigen::Map<const Eigen::MatrixXd>(matrix.data(), size, size));
  const Eigen::VectorXd solution = decomposition.solve(Eigen::Map<const Eigen::VectorXd>(right.data(), size));
  return {{solution.begin(), solution.end()}, static_cast<std::size_t>(decomposition.rank())};
}

double squared_error(const BrokenLine& line, std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (y[i] - line(x[i])) * (y[i] - line(x[i]));
  return sum;
}

BrokenLine fit_line(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return {mean_x, mean_y, xy / xx, xy / xx};
}

BrokenLine fit_two_lines(std::span<const double> x, std::span<const double> y) {
  BrokenLine best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const BrokenLine& line) {
    const double error = squared_error(line, x, y);
    if (error < least) {
      least = error;
      best = line;
    }
  };
  for (std::size_t k = 1; k + 1 < x.size(); ++k) {
    consider(fit_joined(x, y, x[k]));
    if (k + 2 >= x.size()) continue;
    // Between two points the best join is where the lines of either side cross, if they do.
    const BrokenLine left = fit_line(x.first(k + 1), y.first(k + 1));
    const BrokenLine right = fit_line(x.subspan(k + 1), y.subspan(k + 1));
    const double join = (right(0) - left(0)) / (left.left - right.left);
    if (join > x[k] && join < x[k + 1]) consider({join, left(join), left.left, right.left});
  }
  return best;
}

Parabola fit_parabola(std::span<const double> x, std::span<const double> y) {
  const double centre = (x.front() + x.back()) / 2, half = (x.back() - x.front()) / 2;
  const std::vector<double> c = fit_three(x, y, [&](double v) {
    const double t = (v - centre) / half;
    return std::array<double, 3>{1, t, t * t};
  });
  return {centre, half, c[0], c[1], c[2]};
}

}  // namespace a3sim
