#include "models/taskflow/block_grid.h"

#include <catch2/catch.hpp>
#include <set>
#include <utility>

using namespace a3sim;

namespace {

// A grid of rows x cols blocks.
BlockGrid grid_of(BlockOrder order, std::uint32_t rows, std::uint32_t cols) {
  const Tiling tiling{.base_m = 2, .base_n = 3, .order = order};
  return {rows * tiling.base_m, cols * tiling.base_n, tiling};
}

}  // namespace

TEST_CASE("Every block is walked once, and its place gives back its number") {
  for (const std::uint32_t m : {1U, 5U, 6U, 8U, 9U, 16U, 21U, 32U}) {
    for (const std::uint32_t n : {1U, 7U, 8U, 13U, 16U, 28U}) {
      for (const BlockOrder order :
           {BlockOrder::kRowMajor, BlockOrder::kDiagonal, BlockOrder::kColumnMajor, BlockOrder::kStrips}) {
        const BlockGrid grid = grid_of(order, m, n);
        std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
        for (std::uint32_t b = 0; b < m * n; ++b) {
          const BlockGrid::Place place = grid.place(b);
          REQUIRE(place.row < m);
          REQUIRE(place.col < n);
          REQUIRE(grid.number(place) == b);
          seen.insert({place.row, place.col});
        }
        CHECK(seen.size() == std::size_t{m} * n);
      }
    }
  }
}

TEST_CASE(
    "The diagonal order goes down eight rows, then on from the next column, in windows of eight columns") {
  const BlockGrid grid = grid_of(BlockOrder::kDiagonal, 32, 16);
  for (std::uint32_t b = 0; b < 8; ++b) {
    const BlockGrid::Place place = grid.place(b);
    CHECK((place.row == b && place.col == b));
  }
  const BlockGrid::Place second = grid.place(8), window = grid.place(64), band = grid.place(128);
  CHECK((second.row == 0 && second.col == 1));
  CHECK((window.row == 0 && window.col == 8));
  CHECK((band.row == 8 && band.col == 0));
}

TEST_CASE("Strips go row by row, and every second one begins with its last row") {
  const BlockGrid grid = grid_of(BlockOrder::kStrips, 3, 16);  // strips of 9 and 7 columns
  const BlockGrid::Place second_row = grid.place(9), turned = grid.place(27), behind = grid.place(27 + 7);
  CHECK((second_row.row == 1 && second_row.col == 0));
  CHECK((turned.row == 2 && turned.col == 9));
  CHECK((behind.row == 1 && behind.col == 9));
}

TEST_CASE("With up to five block rows the diagonal order is the row-major one") {
  const BlockGrid grid = grid_of(BlockOrder::kDiagonal, 5, 16);
  for (std::uint32_t b = 0; b < grid.count(); ++b) {
    CHECK((grid.place(b).row == b / 16 && grid.place(b).col == b % 16));
  }
}

TEST_CASE("Regions of a grid are whole blocks that lie together, and smaller at the edges") {
  // 8192 x 8192 in 4 x 6: 16 x 6 blocks each, but 2 across in the last column.
  for (const BlockOrder order : {BlockOrder::kRowMajor, BlockOrder::kColumnMajor}) {
    const Tiling tiling{.base_m = 128, .base_n = 256, .order = order, .grid_m = 4, .grid_n = 6};
    const BlockGrid grid(8192, 8192, tiling);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::uint32_t share = 0; share < 24; ++share) {
      std::uint32_t cols_begin = 8192, cols_end = 0, blocks = 0;
      for (std::uint32_t b = share; b < grid.count(); b += 24) {
        const BlockGrid::Block block = grid.block(b);
        if (block.empty()) continue;
        ++blocks;
        CHECK(block.row / 2048 == share / 6);
        cols_begin = std::min(cols_begin, block.col);
        cols_end = std::max(cols_end, block.col + block.cols);
        CHECK(seen.insert({block.row, block.col}).second);
        CHECK(grid.number(grid.place(b)) == b);
      }
      const std::uint32_t column = share % 6;
      CHECK(cols_begin == column * 1536);
      CHECK(cols_end == std::min(8192U, (column + 1) * 1536));
      CHECK(blocks == (column == 5 ? 16 * 2 : 16 * 6));
    }
    CHECK(seen.size() == 64 * 32);
  }
}

TEST_CASE("A region is walked along its rows, or down its columns") {
  Tiling tiling{.base_m = 1, .base_n = 1, .order = BlockOrder::kRowMajor, .grid_m = 2, .grid_n = 2};
  const auto second = [&] {
    const BlockGrid grid(4, 6, tiling);
    const BlockGrid::Place place = grid.place(3 + 4);  // the second block of the last region
    return std::pair(place.row, place.col);
  };
  CHECK(second() == std::pair(2U, 4U));
  tiling.order = BlockOrder::kColumnMajor;
  CHECK(second() == std::pair(3U, 3U));
}

TEST_CASE("All regions beside one another read the same rows, all below one another the same columns") {
  const Tiling tiling{.base_m = 1, .base_n = 1, .order = BlockOrder::kRowMajor, .grid_m = 4, .grid_n = 6};
  const auto [rows, cols] = BlockGrid(8, 12, tiling).readers(0, 24);
  CHECK(rows == 6);
  CHECK(cols == 4);
}
