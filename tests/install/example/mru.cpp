#include <vector>

#include "sim/memory/l2/policy_of.h"

namespace a3sim {
namespace {

// Evicts what was used last: the opposite of LRU, which keeps a part of what is walked through again and again.
struct MruLines {
  MruLines(const L2Spec&, std::uint32_t) {}

  void begin(const L2Access&) {}
  template <class Set>
  std::uint32_t hit(Set& set, std::uint32_t, std::uint32_t way) {
    if (way) set.to_front(way, set.tags[way]);
    return 0;
  }
  template <class Set>
  std::uint32_t victim(const Set& set, std::uint32_t, typename Set::Mask candidates) {
    if (const typename Set::Mask empty = candidates & set.match(Set::kEmpty)) candidates = empty;
    return static_cast<std::uint32_t>(std::countr_zero(candidates));
  }
  template <class Set>
  std::uint32_t fill(Set& set, std::uint32_t, std::uint32_t way, std::uint16_t tag) {
    set.to_front(way, tag);
    return 0;
  }
};

// A stack of uses; a piece that has gone, or was used again since, is passed over.
class MruPieces {
 public:
  MruPieces(const L2Spec&, std::uint32_t pieces) : used_(pieces, kNone) {}

  void begin(const L2Access&) {}
  void insert(std::uint32_t piece) { use(piece); }
  void hit(const PieceRun& run) {
    run.each([&](std::uint32_t piece) { use(piece); });
  }
  void extend(std::uint32_t piece) { use(piece); }
  void erase(std::uint32_t piece) { used_[piece] = kNone; }
  std::uint32_t victim(std::uint32_t) {
    while (!uses_.empty() && used_[uses_.back().piece] != uses_.back().number) uses_.pop_back();
    return uses_.empty() ? kNone : uses_.back().piece;
  }

 private:
  struct Use {
    std::uint32_t piece, number;
  };
  void use(std::uint32_t piece) {
    used_[piece] = number_;
    uses_.push_back({piece, number_++});
  }
  std::vector<std::uint32_t> used_;  // by piece
  std::vector<Use> uses_;
  std::uint32_t number_ = 0;
};

A3SIM_REGISTER(L2Policy, "mru", "the line that was used last is evicted", L2PolicyOf<MruLines, MruPieces>);

}  // namespace
}  // namespace a3sim
