#include "sim/memory/l2/piece_states.h"

#include <algorithm>

namespace a3sim {

PieceStates::PieceStates(std::span<const PieceGrid> grids) {
  pieces_.reserve(grids.empty() ? 0 : grids.back().end().piece);
  for (const PieceGrid& grid : grids) {
    for (std::uint32_t band = 0; grid.cols() && band < grid.bands(); ++band) {
      Piece piece;
      piece.shape = shape_of(grid.steps(band, 0));
      pieces_.insert(pieces_.end(), grid.cols() - 1, piece);
      piece.shape = shape_of(grid.steps(band, grid.cols() - 1));  // it may be narrower
      pieces_.push_back(piece);
    }
  }
  // No value: the memory of masks that are never used is never touched.
  masks_ = std::make_unique_for_overwrite<Masks[]>(pieces_.size());
}

std::uint32_t PieceStates::shape_of(const PieceGrid::Steps& steps) {
  const auto same = [&](const Shape& shape) { return shape.steps == steps; };
  const auto found = std::find_if(shapes_.begin(), shapes_.end(), same);
  if (found != shapes_.end()) return static_cast<std::uint32_t>(found - shapes_.begin());
  shapes_.push_back({steps, ~PieceSteps{0} >> (kPieceSteps - 1 - steps.last),
                     std::uint64_t{steps.last + 1U} * steps.bytes - steps.lacking});
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

}  // namespace a3sim
