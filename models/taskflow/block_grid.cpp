#include "models/taskflow/block_grid.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace a3sim {
namespace {

constexpr std::uint32_t kWindow = 8, kMostRowMajor = 5;  // grouped_matmul's thresholds

// A window of the diagonal order: where it begins, its size, and the number of its first block.
struct BlockWindow {
  std::uint32_t row, col, height, width, first;
};

BlockWindow window_at(BlockGrid::Place place, std::uint32_t blocks_m, std::uint32_t blocks_n) {
  BlockWindow w{};
  w.row = place.row / kWindow * kWindow;
  w.col = place.col / kWindow * kWindow;
  w.height = std::min(kWindow, blocks_m - w.row);
  w.width = std::min(kWindow, blocks_n - w.col);
  w.first = w.row * blocks_n + w.col * w.height;
  return w;
}

// The least common multiple, by height and width of a window.
constexpr auto kBoth = [] {
  std::array<std::array<std::uint8_t, kWindow + 1>, kWindow + 1> both{};
  for (std::size_t height = 1; height <= kWindow; ++height) {
    for (std::size_t width = 1; width <= kWindow; ++width) both[height][width] = std::lcm(height, width);
  }
  return both;
}();

// Goes down the rows. The column advances with the row, and once more whenever rows and columns start over
// together.
std::uint32_t column_of(std::uint32_t i, const BlockWindow& w) {
  return (i + i / kBoth[w.height][w.width]) % w.width;
}

}  // namespace

bool BlockGrid::is_row_major() const {
  return order == BlockOrder::kRowMajor || (order == BlockOrder::kDiagonal && blocks_m() <= kMostRowMajor);
}

BlockGrid::Place BlockGrid::place(std::uint32_t b) const {
  if (regions()) {
    const std::uint32_t region = b % regions(), i = b / regions(), rows = region_m(), cols = region_n();
    const bool down = order == BlockOrder::kColumnMajor;
    return {region / grid_n * rows + (down ? i % rows : i / cols),
            region % grid_n * cols + (down ? i / rows : i % cols)};
  }
  const std::uint32_t rows = blocks_m(), cols = blocks_n();
  if (order == BlockOrder::kColumnMajor) return {b % rows, b / rows};
  if (order == BlockOrder::kStrips) {
    const std::uint32_t number = b / (strip * rows), first = number * strip, i = b - first * rows;
    const std::uint32_t row = i / strip_width(first);
    return {number % 2 == 0 ? row : rows - 1 - row, first + i % strip_width(first)};
  }
  if (is_row_major()) return {b / cols, b % cols};
  const std::uint32_t band = b / (kWindow * cols);
  const std::uint32_t in_band = b - band * kWindow * cols;
  const std::uint32_t height = std::min(kWindow, rows - band * kWindow);
  const BlockWindow w = window_at({band * kWindow, in_band / (height * kWindow) * kWindow}, rows, cols);
  const std::uint32_t i = b - w.first;
  return {w.row + i % w.height, w.col + column_of(i, w)};
}

std::uint32_t BlockGrid::number(Place place) const {
  if (regions()) {
    const std::uint32_t region = place.row / region_m() * grid_n + place.col / region_n();
    const std::uint32_t row = place.row % region_m(), col = place.col % region_n();
    const bool down = order == BlockOrder::kColumnMajor;
    return region + regions() * (down ? col * region_m() + row : row * region_n() + col);
  }
  if (order == BlockOrder::kColumnMajor) return place.col * blocks_m() + place.row;
  const std::uint32_t rows = blocks_m(), cols = blocks_n();
  if (order == BlockOrder::kStrips) {
    const std::uint32_t first = place.col / strip * strip;
    const std::uint32_t row = first / strip % 2 == 0 ? place.row : rows - 1 - place.row;
    return first * rows + row * strip_width(first) + place.col - first;
  }
  if (is_row_major()) return place.row * cols + place.col;
  const BlockWindow w = window_at(place, rows, cols);
  std::uint32_t i = place.row - w.row;
  while (column_of(i, w) != place.col - w.col) i += w.height;
  return w.first + i;
}

BlockGrid::Readers BlockGrid::readers(std::uint32_t b, Place at, std::uint32_t shares) const {
  if (shares == 1) return {1, 1};
  if (regions()) return {std::min(grid_n, blocks_n()), std::min(grid_m, blocks_m())};
  const std::uint32_t rows = blocks_m(), cols = blocks_n();
  if (order == BlockOrder::kColumnMajor) {
    const Readers turned = in_lines(b, shares, at.col, at.row, rows);
    return {turned.cols, turned.rows};
  }
  if (order == BlockOrder::kStrips) {
    const std::uint32_t width = strip_width(at.col / strip * strip);
    return {std::min(shares, width), std::min(rows, (shares + width - 1) / width)};
  }
  if (!is_row_major()) {
    const BlockWindow w = window_at(at, rows, cols);
    const std::uint32_t in_window = std::min(shares, w.height * w.width);
    return {(std::min(shares, w.height * cols) + w.height - 1) / w.height,
            (in_window + w.width - 1) / w.width};
  }
  return in_lines(b, shares, at.row, at.col, cols);
}

BlockGrid::Readers BlockGrid::in_lines(std::uint32_t b, std::uint32_t shares, std::uint32_t line,
                                       std::uint32_t place, std::uint32_t length) const {
  const std::uint32_t first = b - b % shares, end = std::min(first + shares, count());
  const std::uint32_t begin = line * length;
  const auto across = [&](std::uint32_t blocks) { return (blocks + length - 1 - place) / length; };
  return {std::min(end, begin + length) - std::max(first, begin), across(end) - across(first)};
}

}  // namespace a3sim
