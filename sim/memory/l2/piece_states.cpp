#include "sim/memory/l2/piece_states.h"

#include <algorithm>

namespace a3sim {

PieceStates::PieceStates(std::span<const PieceGrid> grids) {
  pieces_.reserve(grids.empty() ? 0 : grids.back().end().piece);
  for (const PieceGrid& grid : grids) {
    std::uint32_t band = 0;
    grid.each_part([&](const PieceGrid::Bands& part) {
      if (part.count == 0) return;
      add_bands(grid, band, part.count - 1);
      add_bands(grid, band + part.count - 1, 1);  // it may be lower
      band += part.count;
    });
  }
  // Uninitialised: memory of masks that are never used is never touched.
  masks_ = std::make_unique_for_overwrite<Masks[]>(pieces_.size());
}

void PieceStates::add_bands(const PieceGrid& grid, std::uint32_t first, std::uint32_t bands) {
  if (bands == 0 || grid.cols() == 0) return;
  Piece piece, last;
  piece.shape = shape_of(grid.sector_sizes(first, 0));
  last.shape = shape_of(grid.sector_sizes(first, grid.cols() - 1));  // it may be narrower
  if (piece.shape == last.shape) {
    pieces_.insert(pieces_.end(), std::size_t{bands} * grid.cols(), piece);
    return;
  }
  for (std::uint32_t band = 0; band < bands; ++band) {
    pieces_.insert(pieces_.end(), grid.cols() - 1, piece);
    pieces_.push_back(last);
  }
}

std::uint32_t PieceStates::shape_of(const PieceGrid::SectorSizes& sizes) {
  const auto same = [&](const Shape& shape) { return shape.sizes == sizes; };
  const auto found = std::find_if(shapes_.begin(), shapes_.end(), same);
  if (found != shapes_.end()) return static_cast<std::uint32_t>(found - shapes_.begin());
  shapes_.push_back({sizes, ~Sectors{0} >> (kSectors - 1 - sizes.last),
                     std::uint64_t{sizes.last + 1U} * sizes.bytes - sizes.lacking});
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

}  // namespace a3sim
