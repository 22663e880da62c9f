#pragma once

#include <cstdint>

#include "models/taskflow/taskflow.h"

namespace a3sim {

// The base blocks of an M x N output, numbered in the order in which the operator visits them. Share s of S
// takes the blocks b = s (mod S).
//
// If shares are regions, S is the number of regions, and block i of region s has the number s + i S. Regions
// at the edges may be smaller; their surplus numbers stand for empty blocks.
struct BlockGrid {
  std::uint32_t m = 0, n = 0, base_m = 1, base_n = 1;
  BlockOrder order = BlockOrder::kRowMajor;
  std::uint32_t grid_m = 0, grid_n = 0;
  std::uint32_t strip = 1;  // block columns of a strip

  friend bool operator==(const BlockGrid&, const BlockGrid&) = default;
  BlockGrid() = default;
  BlockGrid(std::uint32_t rows, std::uint32_t cols, const Tiling& tiling)
      : m(rows),
        n(cols),
        base_m(tiling.base_m),
        base_n(tiling.base_n),
        order(tiling.order),
        strip(tiling.strip) {
    if (tiling.grid_m * tiling.grid_n == 0) return;
    grid_m = tiling.grid_m;
    grid_n = tiling.grid_n;
  }

  struct Block {
    std::uint32_t row, col;    // first row and column
    std::uint32_t rows, cols;  // smaller at the edges
    bool empty() const { return rows == 0 || cols == 0; }
  };
  struct Place {
    std::uint32_t row, col;  // in blocks
  };

  std::uint32_t blocks_m() const { return (m + base_m - 1) / base_m; }
  std::uint32_t blocks_n() const { return (n + base_n - 1) / base_n; }
  // The upper bound of block numbers. No product has more than kMost blocks, so that numbers can be added.
  static constexpr std::uint32_t kMost = 1U << 30;
  std::uint32_t count() const { return static_cast<std::uint32_t>(full_count()); }
  std::uint64_t full_count() const {
    const std::uint64_t down = regions() ? region_m() * grid_m : blocks_m();
    return down * (regions() ? region_n() * grid_n : blocks_n());
  }

  Place place(std::uint32_t b) const;
  // Returns the number of the block at a place, the inverse of place().
  std::uint32_t number(Place place) const;
  // The number of workers, of `shares`, that multiply the same rows as block b, and the same columns, if all
  // proceed at one pace. In the diagonal order it is an average.
  struct Readers {
    std::uint32_t rows, cols;
  };
  Readers readers(std::uint32_t b, std::uint32_t shares) const { return readers(b, place(b), shares); }
  Block block(std::uint32_t b) const { return block(place(b)); }
  // The same for a block whose place is known.
  Readers readers(std::uint32_t b, Place at, std::uint32_t shares) const;
  Block block(Place at) const {
    const std::uint32_t row = at.row * base_m, col = at.col * base_n;
    if (row >= m || col >= n) return {};
    return {row, col, m - row < base_m ? m - row : base_m, n - col < base_n ? n - col : base_n};
  }

 private:
  std::uint32_t regions() const { return grid_m * grid_n; }
  // Return the number of blocks in a region, down and across.
  std::uint32_t region_m() const { return (blocks_m() + grid_m - 1) / grid_m; }
  std::uint32_t region_n() const { return (blocks_n() + grid_n - 1) / grid_n; }
  bool is_row_major() const;
  // Returns the number of block columns of the strip that begins at a block column.
  std::uint32_t strip_width(std::uint32_t first) const {
    return blocks_n() - first < strip ? blocks_n() - first : strip;
  }
  // Returns the readers if blocks are numbered line by line, with `length` blocks each: of the line, and
  // across.
  Readers in_lines(std::uint32_t b, std::uint32_t shares, std::uint32_t line, std::uint32_t place,
                   std::uint32_t length) const;
};

}  // namespace a3sim
