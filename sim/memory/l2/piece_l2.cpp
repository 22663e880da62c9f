#include "sim/memory/l2/piece_l2.h"

#include <fmt/format.h>

#include <bit>

#include "sim/core/error.h"
#include "sim/memory/l2/piece_grid.h"
#include "sim/memory/l2/policy.h"

namespace a3sim {
namespace {

struct PieceCount {
  double pieces = 0, bands = 0, columns = 0;  // of any tensors
};

PieceCount count_pieces(std::span<const L2Tensor> tensors) {
  PieceCount all;
  for (const L2Tensor& tensor : tensors) {
    const PieceGrid grid(tensor, {});
    all.bands += grid.bands();
    all.pieces += static_cast<double>(grid.bands()) * grid.cols();
    all.columns += static_cast<double>(grid.parts()) * grid.cols();
  }
  return all;
}

}  // namespace

double piece_l2_memory(std::span<const L2Tensor> tensors) {
  // Bytes for each, in PieceStates and PieceMap, in PieceBands, and in a policy.
  constexpr double kOfPiece = 40 + 4 + 8, kOfBand = 12 + 64 + 24, kOfColumn = 16 + 8 + 8;
  const PieceCount all = count_pieces(tensors);
  return all.pieces * kOfPiece + all.bands * kOfBand + all.columns * kOfColumn;
}

std::unique_ptr<PieceL2> make_piece_l2(const L2Spec& spec, std::span<const L2Tensor> tensors,
                                       std::uint32_t ops) {
  check(spec);
  for (const L2Tensor& tensor : tensors) {
    if (!std::has_single_bit(tensor.piece_rows)) {
      throw InputError("pieces of " + std::to_string(tensor.piece_rows) + " rows; expected a power of two");
    }
    const std::int64_t piece = std::int64_t{tensor.piece_rows} * kL2Line;
    if (spec.size.count < piece) {
      throw InputError("the L2 has " + std::to_string(spec.size.count) +
                       " bytes; expected at least those of a piece (" + std::to_string(piece) + ")");
    }
  }
  if (const double pieces = count_pieces(tensors).pieces; pieces >= kNone) {
    throw InputError(
        fmt::format("the tensors of a rank have {:.0f} pieces of L2; expected below {}", pieces, kNone));
  }
  return Registry<L2Policy>::get(spec.policy).pieces(spec, tensors, ops);
}

}  // namespace a3sim
