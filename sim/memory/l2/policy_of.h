#pragma once

#include "sim/memory/l2/line_cache_of.h"
#include "sim/memory/l2/piece_l2_of.h"
#include "sim/memory/l2/policy.h"

namespace a3sim {

// Makes a policy from its two classes. line_cache_of.h and piece_l2_of.h say what these must provide.
template <class Lines, class Pieces>
class L2PolicyOf final : public L2Policy {
 public:
  std::unique_ptr<LineCache> lines(const L2Spec& spec) const override {
    if (spec.ways <= Narrow::kMaxWays) return std::make_unique<LineCacheOf<Lines, Narrow>>(spec);
    return std::make_unique<LineCacheOf<Lines, Wide>>(spec);
  }

  std::unique_ptr<PieceL2> pieces(const L2Spec& spec, std::span<const L2Tensor> tensors,
                                  std::uint32_t ops) const override {
    return std::make_unique<PieceL2Of<Pieces>>(spec, tensors, ops);
  }

 private:
  using Narrow = LineSet<3, std::uint32_t>;  // 64 bytes
  using Wide = LineSet<8, std::uint64_t>;
};

}  // namespace a3sim
