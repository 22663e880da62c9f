#include "sim/core/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace a3sim {
namespace {

constexpr double kOutside = 0.05;  // probability outside a confidence interval, at both ends together

// Returns how many of n numbers may lie outside at either end, so that the rest contains the population's
// median with probability 1 - kOutside. Each number lies below the median with probability 1/2.
std::size_t left_out(std::size_t n) {
  double probability = std::pow(0.5, n), below = 0;  // that k of them lie below; that fewer or as many do
  for (std::size_t k = 0; k < n; ++k) {
    below += probability;
    if (2 * below > kOutside) return k;
    probability *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return 0;
}

// Subtracts the median of the present cells from them, adds it to `to`, and returns it.
double take_median(std::vector<double>& from, double& to) {
  std::vector<double> cells = from;
  std::erase_if(cells, [](double cell) { return std::isnan(cell); });
  const double moved = median(std::move(cells));
  for (double& value : from) value -= moved;
  to += moved;
  return std::abs(moved);
}

}  // namespace

double arithmetic_mean(std::span<const double> numbers) {
  if (numbers.empty()) return 0;
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double quantile(std::vector<double> numbers, double share) {
  const double place = share * static_cast<double>(numbers.size() - 1);
  const auto below = numbers.begin() + static_cast<std::ptrdiff_t>(place);
  std::ranges::nth_element(numbers, below);
  const double part = place - std::floor(place);
  if (part == 0) return *below;
  return *below + part * (*std::min_element(below + 1, numbers.end()) - *below);
}

double median(std::vector<double> numbers) { return numbers.empty() ? 0 : quantile(std::move(numbers), 0.5); }

MeanInterval mean_interval(std::span<const double> numbers) {
  const double middle = arithmetic_mean(numbers);
  if (numbers.size() < 2) return {middle, middle, middle};
  const auto n = static_cast<double>(numbers.size());
  double squares = 0;
  for (const double number : numbers) squares += (number - middle) * (number - middle);
  const boost::math::students_t distribution(n - 1);
  const double t = boost::math::quantile(complement(distribution, kOutside / 2));
  const double half = t * std::sqrt(squares / (n - 1) / n);
  return {middle, middle - half, middle + half};
}

MeanInterval mean_interval_of_groups(const std::vector<std::vector<double>>& groups) {
  std::vector<double> means;
  for (const std::vector<double>& numbers : groups) means.push_back(arithmetic_mean(numbers));
  return mean_interval(means);
}

MedianInterval median_interval(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t out = left_out(numbers.size());
  return {quantile(numbers, 0.5), numbers[out == 0 ? 0 : out - 1],
          numbers[numbers.size() - std::max<std::size_t>(out, 1)]};
}

MedianPolish median_polish(std::vector<std::vector<double>> cells) {
  constexpr int kMostRounds = 50;
  constexpr double kEnough = 1e-9;
  MedianPolish polish;
  const std::size_t rows = cells.size(), columns = rows == 0 ? 0 : cells.front().size();
  polish.rows.resize(rows);
  polish.columns.resize(columns);
  for (int round = 0; round < kMostRounds; ++round) {
    double moved = 0;
    for (std::size_t r = 0; r < rows; ++r) moved += take_median(cells[r], polish.rows[r]);
    moved += take_median(polish.columns, polish.overall);
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<double> column(rows);
      for (std::size_t r = 0; r < rows; ++r) column[r] = cells[r][c];
      moved += take_median(column, polish.columns[c]);
      for (std::size_t r = 0; r < rows; ++r) cells[r][c] = column[r];
    }
    moved += take_median(polish.rows, polish.overall);
    if (moved < kEnough) break;
  }
  polish.rest = std::move(cells);
  return polish;
}

}  // namespace a3sim
