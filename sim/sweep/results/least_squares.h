#pragma once

#include <cstddef>
#include <vector>

namespace a3sim {

// Coefficients that minimise a sum of squares. If the data do not determine them, the smallest ones.
struct NormalSolution {
  std::vector<double> coefficients;
  std::size_t rank = 0;  // how many of them the data determine
};

// `matrix` is X'X, row by row, and `right` X'y. A complete orthogonal decomposition (Golub and Van Loan,
// "Matrix Computations", 5.4.7) gives the rank.
NormalSolution solve_normal_equations(const std::vector<double>& matrix, const std::vector<double>& right);

}  // namespace a3sim
