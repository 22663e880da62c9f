#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace a3sim {

// The coefficients that minimise a sum of squares, from its normal equations. Of coefficients that the data
// cannot tell apart some are zero.
struct NormalSolution {
  std::vector<double> coefficients;
  std::size_t rank = 0;  // how many of them the data determine
};

// `matrix` is X'X, row by row, and `right` X'y. Cholesky's decomposition with complete pivoting (Higham,
// "Accuracy and Stability of Numerical Algorithms", 10.3), which shows the rank.
NormalSolution solve_normal_equations(std::vector<double> matrix, std::vector<double> right);

}  // namespace a3sim
