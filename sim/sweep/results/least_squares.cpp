#include "sim/sweep/results/least_squares.h"

#include <Eigen/QR>

namespace a3sim {

NormalSolution solve_normal_equations(const std::vector<double>& matrix, const std::vector<double>& right) {
  // A pivot below this share of the largest is zero: a few hundred times the rounding error.
  constexpr double kZeroPivot = 1e-12;
  const auto size = static_cast<Eigen::Index>(right.size());
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(size, size);
  decomposition.setThreshold(kZeroPivot);
  decomposition.compute(Eigen::Map<const Eigen::MatrixXd>(matrix.data(), size, size));
  const Eigen::VectorXd solution = decomposition.solve(Eigen::Map<const Eigen::VectorXd>(right.data(), size));
  return {{solution.begin(), solution.end()}, static_cast<std::size_t>(decomposition.rank())};
}

}  // namespace a3sim
