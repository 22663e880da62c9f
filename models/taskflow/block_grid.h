#pragma once

#include <cstdint>

#include "models/taskflow/taskflow.h"

namespace a3sim {

// The base blocks of an M x N output, numbered in the order in which the operator walks them. Share s of S
// takes the blocks b = s (mod S).
struct BlockGrid {
  std::uint32_t m = 0, n = 0, base_m = 1, base_n = 1;
  BlockOrder order = BlockOrder::kRowMajor;

  BlockGrid() = default;
  BlockGrid(std::uint32_t rows, std::uint32_t cols, const Tiling& tiling)
      : m(rows), n(cols), base_m(tiling.base_m), base_n(tiling.base_n), order(tiling.order) {}

  struct Block {
    std::uint32_t row, col;    // first row and column
    std::uint32_t rows, cols;  // smaller at the edges
  };
  struct Place {
    std::uint32_t row, col;  // in blocks
  };

  std::uint32_t blocks_m() const { return (m + base_m - 1) / base_m; }
  std::uint32_t blocks_n() const { return (n + base_n - 1) / base_n; }
  std::uint32_t count() const { return blocks_m() * blocks_n(); }

  Place place(std::uint32_t b) const;
  // The block's number; place() read backwards.
  std::uint32_t number(Place place) const;
  // How many of `shares` workers multiply the same rows as block b, and the same columns, while all go
  // through their blocks at one pace. In the diagonal order: on average.
  struct Readers {
    std::uint32_t rows, cols;
  };
  Readers readers(std::uint32_t b, std::uint32_t shares) const { return readers(b, place(b), shares); }
  Block block(std::uint32_t b) const { return block(place(b)); }
  // The same for who knows the block's place.
  Readers readers(std::uint32_t b, Place at, std::uint32_t shares) const;
  Block block(Place at) const {
    const std::uint32_t row = at.row * base_m, col = at.col * base_n;
    return {row, col, m - row < base_m ? m - row : base_m, n - col < base_n ? n - col : base_n};
  }

 private:
  bool is_row_major() const;
};

}  // namespace a3sim
