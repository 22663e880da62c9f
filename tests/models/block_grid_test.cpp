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
      for (const BlockOrder order : {BlockOrder::kRowMajor, BlockOrder::kDiagonal}) {
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

TEST_CASE("With up to five block rows the diagonal order is the row-major one") {
  const BlockGrid grid = grid_of(BlockOrder::kDiagonal, 5, 16);
  for (std::uint32_t b = 0; b < grid.count(); ++b) {
    CHECK((grid.place(b).row == b / 16 && grid.place(b).col == b % 16));
  }
}
