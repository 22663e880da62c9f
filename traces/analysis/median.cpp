#include "traces/analysis/median.h"

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

// Moves the median of the cells that there are into `to`; how much that was.
double take_median(std::vector<double>& from, double& to) {
  std::vector<double> cells = from;
  std::erase_if(cells, [](double cell) { return std::isnan(cell); });
  const double moved = median(std::move(cells));
  for (double& value : from) value -= moved;
  to += moved;
  return std::abs(moved);
}

}  // namespace

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  const auto half = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, half);
  if (numbers.size() % 2 == 1) return *half;
  return (*half + *std::max_element(numbers.begin(), half)) / 2;
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
