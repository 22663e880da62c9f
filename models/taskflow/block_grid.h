#pragma once

#include <cstdint>

#include "models/taskflow/taskflow.h"

namespace a3sim {

// The base blocks of an M x N output, numbered in the order in which the operator walks them (rows of
// blocks). Share s of S takes the blocks b = s (mod S).
struct BlockGrid {
  std::uint32_t m, n, base_m, base_n;

  struct Block {
    std::uint32_t row, col;    // first row and column
    std::uint32_t rows, cols;  // smaller at the edges
  };

  constexpr std::uint32_t blocks_m() const { return (m + base_m - 1) / base_m; }
  constexpr std::uint32_t blocks_n() const { return (n + base_n - 1) / base_n; }
  constexpr std::uint32_t count() const { return blocks_m() * blocks_n(); }
  constexpr Block block(std::uint32_t b) const {
    const std::uint32_t row = b / blocks_n() * base_m, col = b % blocks_n() * base_n;
    return {row, col, m - row < base_m ? m - row : base_m, n - col < base_n ? n - col : base_n};
  }
};

}  // namespace a3sim
