#include "scheduler/compile/footprint.h"

#include <algorithm>

namespace a3sim {

const std::vector<std::uint16_t>& BlockOwners::owners(const BlockGrid& grid, std::uint32_t shares) {
  if (grid == grid_ && shares == shares_) return owners_;
  grid_ = grid;
  shares_ = shares;
  owners_.resize(std::size_t{grid.blocks_m()} * grid.blocks_n());
  for (std::uint32_t b = 0; b < grid.count(); ++b) {
    if (grid.block(b).empty()) continue;
    const BlockGrid::Place at = grid.place(b);
    owners_[std::size_t{at.row} * grid.blocks_n() + at.col] = static_cast<std::uint16_t>(b % shares);
  }
  return owners_;
}

Footprint::Footprint(const Region& region, const Tiling* tiling, const TensorInfo& tensor)
    : rows_(region.rows()), share_(region.share), shares_(region.shares), cut_(region.shares > 1 && tiling) {
  if (!cut_) return;
  grid_ = BlockGrid(rows_.size(), tensor.cols, *tiling);
  exact_ = !moves_with_counts(tensor.layout);
}

bool Footprint::has_block_in(Rows rows, std::uint32_t col_begin, std::uint32_t col_end,
                             BlockOwners& owners) const {
  const Rows common{std::max(rows.begin, rows_.begin), std::min(rows.end, rows_.end)};
  if (common.begin >= common.end || col_begin >= col_end) return false;
  const std::vector<std::uint16_t>& owner = owners.owners(grid_, shares_);
  const std::uint32_t first_row = (common.begin - rows_.begin) / grid_.base_m;
  const std::uint32_t last_row = (common.end - 1 - rows_.begin) / grid_.base_m;
  const std::uint32_t first_col = col_begin / grid_.base_n, last_col = (col_end - 1) / grid_.base_n;
  for (std::uint32_t row = first_row; row <= last_row; ++row) {
    const std::uint16_t* const line = &owner[std::size_t{row} * grid_.blocks_n()];
    if (std::find(line + first_col, line + last_col + 1, share_) != line + last_col + 1) return true;
  }
  return false;
}

bool Footprint::overlaps(const Footprint& other, BlockOwners& owners) const {
  if (empty() || other.empty()) return false;
  if (rows_.begin >= other.rows_.end || other.rows_.begin >= rows_.end) return false;
  if (!exact_ && !other.exact_) return true;
  if (!exact_) return other.overlaps(*this, owners);
  if (!other.exact_) return has_block_in(other.rows_, 0, grid_.n, owners);
  for (std::uint32_t b = share_; b < grid_.count(); b += shares_) {
    const BlockGrid::Block block = grid_.block(b);
    if (block.empty()) continue;
    const std::uint32_t row = rows_.begin + block.row;
    if (other.has_block_in({row, row + block.rows}, block.col, block.col + block.cols, owners)) return true;
  }
  return false;
}

}  // namespace a3sim
