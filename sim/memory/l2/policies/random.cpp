#include "sim/core/rng.h"
#include "sim/memory/l2/policy_of.h"

namespace a3sim {
namespace {

struct RandomLines {
  static constexpr bool kFirstFree = true;
  RandomLines(const L2Spec& spec, std::uint32_t) : rng(spec.seed) {}

  void begin(const L2Access&) {}
  template <class Set>
  std::uint32_t hit(const Set&, std::uint32_t, std::uint32_t way) {
    return way;
  }
  template <class Set>
  std::uint32_t victim(const Set&, std::uint32_t, typename Set::Mask candidates) {
    for (std::uint32_t skip = rng.below(static_cast<std::uint32_t>(std::popcount(candidates))); skip;
         --skip) {
      candidates &= candidates - 1;
    }
    return static_cast<std::uint32_t>(std::countr_zero(candidates));
  }
  template <class Set>
  std::uint32_t fill(const Set&, std::uint32_t, std::uint32_t way, std::uint16_t) {
    return way;
  }

  Rng rng;
};

class RandomPieces {
 public:
  RandomPieces(const L2Spec& spec, std::uint32_t pieces) : rng_(spec.seed), slot_(pieces) {
    present_.reserve(pieces);
  }

  void begin(const L2Access&) {}
  void insert(std::uint32_t piece) {
    slot_[piece] = static_cast<std::uint32_t>(present_.size());
    present_.push_back(piece);
  }
  void hit(const PieceRun&) {}
  void extend(std::uint32_t) {}
  void erase(std::uint32_t piece) {
    const std::uint32_t last = present_.back();
    present_[slot_[piece]] = last;
    slot_[last] = slot_[piece];
    present_.pop_back();
  }
  std::uint32_t victim(std::uint32_t) {
    return present_.empty() ? kNone : present_[rng_.below(static_cast<std::uint32_t>(present_.size()))];
  }

 private:
  Rng rng_;
  std::vector<std::uint32_t> present_, slot_;
};

A3SIM_REGISTER(L2Policy, "random", "any line is evicted, drawn from the seed",
               L2PolicyOf<RandomLines, RandomPieces>);

}  // namespace
}  // namespace a3sim
