#include "sim/study/results/least_squares.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace a3sim {
namespace {

// What is left of a diagonal element that should be zero, relative to the largest: rounding, a few hundred
// times over.
constexpr double kZeroPivot = 1e-12;

class PivotedCholesky {
 public:
  PivotedCholesky(std::vector<double> matrix, std::size_t size)
      : a_(std::move(matrix)), size_(size), order_(size) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    double largest = 0;
    for (std::size_t i = 0; i < size_; ++i) largest = std::max(largest, at(i, i));
    while (rank_ < size_) {
      const std::size_t pivot = largest_left();
      if (!(at(pivot, pivot) > kZeroPivot * largest)) break;
      swap(rank_, pivot);
      eliminate();
      ++rank_;
    }
  }
  std::size_t rank() const { return rank_; }

  std::vector<double> solve(const std::vector<double>& right) {
    std::vector<double> x(rank_);
    for (std::size_t i = 0; i < rank_; ++i) {
      double sum = right[order_[i]];
      for (std::size_t j = 0; j < i; ++j) sum -= at(i, j) * x[j];
      x[i] = sum / at(i, i);
    }
    for (std::size_t i = rank_; i-- > 0;) {
      for (std::size_t j = i + 1; j < rank_; ++j) x[i] -= at(j, i) * x[j];
      x[i] /= at(i, i);
    }
    std::vector<double> coefficients(size_, 0);
    for (std::size_t i = 0; i < rank_; ++i) coefficients[order_[i]] = x[i];
    return coefficients;
  }

 private:
  double& at(std::size_t row, std::size_t column) { return a_[row * size_ + column]; }

  std::size_t largest_left() {
    std::size_t best = rank_;
    for (std::size_t i = rank_ + 1; i < size_; ++i) {
      if (at(i, i) > at(best, best)) best = i;
    }
    return best;
  }
  void swap(std::size_t i, std::size_t j) {
    if (i == j) return;
    std::swap(order_[i], order_[j]);
    for (std::size_t k = 0; k < size_; ++k) std::swap(at(i, k), at(j, k));
    for (std::size_t k = 0; k < size_; ++k) std::swap(at(k, i), at(k, j));
  }
  // The pivot's column of the factor, and what it leaves of the rest.
  void eliminate() {
    const double root = std::sqrt(at(rank_, rank_));
    at(rank_, rank_) = root;
    for (std::size_t i = rank_ + 1; i < size_; ++i) at(i, rank_) /= root;
    for (std::size_t i = rank_ + 1; i < size_; ++i) {
      for (std::size_t j = rank_ + 1; j < size_; ++j) at(i, j) -= at(i, rank_) * at(j, rank_);
    }
  }

  std::vector<double> a_;
  std::size_t size_, rank_ = 0;
  std::vector<std::size_t> order_;
};

}  // namespace

NormalSolution solve_normal_equations(std::vector<double> matrix, std::vector<double> right) {
  PivotedCholesky cholesky(std::move(matrix), right.size());
  return {cholesky.solve(right), cholesky.rank()};
}

}  // namespace a3sim
