#include "sim/memory/l2/piece_l2.h"

#include <bit>

#include "sim/core/error.h"
#include "sim/memory/l2/piece_grid.h"
#include "sim/memory/l2/policy.h"

namespace a3sim {

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
  return Registry<L2Policy>::get(spec.policy).pieces(spec, tensors, ops);
}

}  // namespace a3sim
