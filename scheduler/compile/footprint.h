#pragma once

#include <cstdint>
#include <vector>

#include "models/taskflow/block_grid.h"
#include "models/taskflow/taskflow.h"

namespace a3sim {

// Returns whether the run's counts decide where rows of this layout are, because they are packed.
constexpr bool moves_with_counts(Layout layout) {
  return layout == Layout::kSent || layout == Layout::kReceived;
}

// Computes the share that owns each block of a grid. Remembers the last grid, since regions of one grid are
// mostly compared one after another.
class BlockOwners {
 public:
  // Returns one entry per block, row by row: the block's number modulo `shares`.
  const std::vector<std::uint16_t>& owners(const BlockGrid& grid, std::uint32_t shares);

 private:
  BlockGrid grid_{};
  std::uint32_t shares_ = 0;
  std::vector<std::uint16_t> owners_;  // entries are as wide as a region's share
};

// The bytes of a region in one tensor: rows, or the base blocks b = share (mod shares) of a grid over them.
//
// A schedule runs under every routing of its bucket. Packing is monotone, so row ranges that do not overlap
// at capacity never overlap. Blocks are different: a row range moves within the grid, so the shares that it
// meets change with the counts. In packed layouts a share is therefore assumed to be anywhere in its tile's
// rows; in other layouts it is exactly where its blocks are. A share without blocks at capacity has none
// under any counts.
class Footprint {
 public:
  // `tiling` is the tiling of the region's task. Null (a task without tiling) means all rows of the region.
  Footprint(const Region& region, const Tiling* tiling, const TensorInfo& tensor);

  bool empty() const { return rows_.empty() || (cut_ && share_ >= grid_.count()); }
  // Returns whether the two have bytes in common under any counts. Both must be in the same tensor and
  // memory. `owners` is a cache.
  bool overlaps(const Footprint& other, BlockOwners& owners) const;
  // Returns whether the footprint depends on the share, apart from being empty.
  bool exact() const { return exact_; }

 private:
  // Returns whether a block of the share is in these rows and columns.
  bool has_block_in(Rows rows, std::uint32_t col_begin, std::uint32_t col_end, BlockOwners& owners) const;

  Rows rows_;
  BlockGrid grid_{};
  std::uint32_t share_ = 0, shares_ = 1;
  bool cut_ = false;    // it is a set of blocks
  bool exact_ = false;  // it is a set of blocks whose place does not depend on counts
};

}  // namespace a3sim
