#pragma once

#include <cstdint>
#include <vector>

#include "models/taskflow/block_grid.h"
#include "models/taskflow/taskflow.h"

namespace a3sim {

// Where the rows of a tensor lie depends on the run's counts:
// they are packed. Elsewhere they stay where they are.
constexpr bool moves_with_counts(Layout layout) {
  return layout == Layout::kSent || layout == Layout::kReceived;
}

// Whose each block of a grid is. Regions that are compared one after the other are mostly of one grid: it is
// walked once for all of them.
class BlockOwners {
 public:
  // By block, row by row: its number modulo `shares`.
  const std::vector<std::uint16_t>& of(const BlockGrid& grid, std::uint32_t shares);

 private:
  BlockGrid grid_{};
  std::uint32_t shares_ = 0;
  std::vector<std::uint16_t> owners_;  // as wide as a region's share
};

// The bytes of a region that stand in one tensor: rows, or the base blocks b = share (mod shares) of a grid
// over them.
//
// A schedule runs under every routing of its bucket. Packing is monotone, so row ranges that do not overlap
// at capacity never do. Blocks are another matter: a row range moves within the grid, so which shares it
// meets changes with the counts. In layouts that are packed a share is therefore taken to be anywhere within
// its tile's rows, in the others exactly where its blocks are. A share without blocks at capacity has none
// under any counts.
class Footprint {
 public:
  // `tiling` is the one of the region's task; null (a task without tiling) means all rows of the region.
  Footprint(const Region& region, const Tiling* tiling, const TensorInfo& tensor);

  bool empty() const { return rows_.empty() || (cut_ && share_ >= grid_.count()); }
  // Whether they have bytes in common, under any counts. Both are of the same tensor in the same memory.
  // `owners` only remembers.
  bool overlaps(const Footprint& other, BlockOwners& owners) const;
  // Whether the share matters beyond being empty or not.
  bool exact() const { return exact_; }

 private:
  // Whether a block of the share lies in these rows and columns.
  bool has_block_in(Rows rows, std::uint32_t col_begin, std::uint32_t col_end, BlockOwners& owners) const;

  Rows rows_;
  BlockGrid grid_{};
  std::uint32_t share_ = 0, shares_ = 1;
  bool cut_ = false;    // a set of blocks
  bool exact_ = false;  // of blocks that stay where they are
};

}  // namespace a3sim
