#include "scheduler/footprint.h"

#include <algorithm>

namespace a3sim {

Footprint::Footprint(const Region& region, const Tiling* tiling, const TensorInfo& tensor)
    : rows_(region.rows()), share_(region.share), shares_(region.shares), cut_(region.shares > 1 && tiling) {
  if (!cut_) return;
  grid_ = BlockGrid(rows_.size(), tensor.cols, *tiling);
  exact_ = !moves_with_counts(tensor.layout);
}

bool Footprint::has_block_in(Rows rows, std::uint32_t col_begin, std::uint32_t col_end) const {
  const Rows common{std::max(rows.begin, rows_.begin), std::min(rows.end, rows_.end)};
  if (common.begin >= common.end || col_begin >= col_end) return false;
  const std::uint32_t first_row = (common.begin - rows_.begin) / grid_.base_m;
  const std::uint32_t last_row = (common.end - 1 - rows_.begin) / grid_.base_m;
  const std::uint32_t first_col = col_begin / grid_.base_n, last_col = (col_end - 1) / grid_.base_n;
  // Whichever are fewer: the blocks there, or the share's own.
  if (std::uint64_t{last_row - first_row + 1} * (last_col - first_col + 1) < grid_.count() / shares_) {
    for (std::uint32_t row = first_row; row <= last_row; ++row) {
      for (std::uint32_t col = first_col; col <= last_col; ++col) {
        if (grid_.number({row, col}) % shares_ == share_) return true;
      }
    }
    return false;
  }
  for (std::uint32_t b = share_; b < grid_.count(); b += shares_) {
    const auto [row, col] = grid_.place(b);
    if (row >= first_row && row <= last_row && col >= first_col && col <= last_col) return true;
  }
  return false;
}

bool Footprint::overlaps(const Footprint& other) const {
  if (empty() || other.empty()) return false;
  if (rows_.begin >= other.rows_.end || other.rows_.begin >= rows_.end) return false;
  if (!exact_ && !other.exact_) return true;
  if (!exact_) return other.overlaps(*this);
  if (!other.exact_) return has_block_in(other.rows_, 0, grid_.n);
  for (std::uint32_t b = share_; b < grid_.count(); b += shares_) {
    const BlockGrid::Block block = grid_.block(b);
    const std::uint32_t row = rows_.begin + block.row;
    if (other.has_block_in({row, row + block.rows}, block.col, block.col + block.cols)) return true;
  }
  return false;
}

}  // namespace a3sim
