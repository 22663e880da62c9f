#include "sim/study/calibration/singular.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace a3sim {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void rotate(std::vector<double>& a, std::vector<double>& b, double cosine, double sine) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    a[i] = cosine * x - sine * y;
    b[i] = sine * x + cosine * y;
  }
}

// Makes two columns orthogonal; whether they were not.
bool make_orthogonal(ColumnList& columns, ColumnList& directions, std::size_t p, std::size_t q) {
  const double pp = dot(columns[p], columns[p]), qq = dot(columns[q], columns[q]),
               pq = dot(columns[p], columns[q]);
  if (std::abs(pq) <= std::numeric_limits<double>::epsilon() * std::sqrt(pp * qq)) return false;
  const double zeta = (qq - pp) / (2 * pq);
  const double tangent = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
  const double cosine = 1 / std::hypot(1, tangent), sine = cosine * tangent;
  rotate(columns[p], columns[q], cosine, sine);
  rotate(directions[p], directions[q], cosine, sine);
  return true;
}

void point_up(std::vector<double>& direction) {
  const auto largest = std::max_element(direction.begin(), direction.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (largest == direction.end() || *largest >= 0) return;
  for (double& component : direction) component = -component;
}

}  // namespace

SingularValues singular_values(ColumnList columns) {
  constexpr int kMostSweeps = 60;  // it converges quadratically: a few are enough
  const std::size_t n = columns.size();
  ColumnList directions(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) directions[i][i] = 1;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) rotated = make_orthogonal(columns, directions, p, q) || rotated;
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> lengths;
  for (const auto& column : columns) lengths.push_back(std::sqrt(dot(column, column)));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  SingularValues result;
  for (const std::size_t i : order) {
    point_up(directions[i]);
    result.values.push_back(lengths[i]);
    result.directions.push_back(std::move(directions[i]));
  }
  return result;
}

}  // namespace a3sim
