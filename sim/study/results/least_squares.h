#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace a3sim {

// The coefficients that minimise a sum of squares, from its normal equations. Where the
// data cannot tell coefficients apart, the smallest that do.
struct NormalSolution {
  std::vector<double> coefficients;
  std::size_t rank = 0;  // how many of them the data determine
};

// `matrix` is X'X, row by row, and `right` X'y. A complete orthogonal decomposition
// (Golub and Van Loan, "Matrix Computations", 5.4.7) shows the rank.
NormalSolution solve_normal_equations(const std::vector<double>& matrix, const std::vector<double>& right);

// Two straight lines that meet; one line where the slopes are equal.
struct BrokenLine {
  double at = 0, value = 0;    // where they meet
  double left = 0, right = 0;  // slopes
  double operator()(double x) const { return value + (x < at ? left : right) * (x - at); }
};

// A parabola over x as it is, or an x that was scaled.
struct Parabola {
  double centre = 0, half = 1;                // of the x that it was fitted to
  double at_centre = 0, slope = 0, bend = 0;  // coefficients of 1, t, t * t, where t = (x - centre) / half
  double operator()(double x) const {
    const double t = (x - centre) / half;
    return at_centre + t * (slope + t * bend);
  }
  double top() const { return bend == 0 ? centre : centre - half * slope / (2 * bend); }
};

double squared_error(const BrokenLine& line, std::span<const double> x, std::span<const double> y);

// Least squares over increasing x: two points or more for one line, four or more for two. The two lines' join
// is anywhere between the second point and the last but one.
BrokenLine fit_line(std::span<const double> x, std::span<const double> y);
BrokenLine fit_two_lines(std::span<const double> x, std::span<const double> y);
Parabola fit_parabola(std::span<const double> x, std::span<const double> y);

}  // namespace a3sim
