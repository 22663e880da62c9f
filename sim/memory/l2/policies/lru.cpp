#include "sim/memory/l2/piece_links.h"
#include "sim/memory/l2/policy_of.h"

namespace a3sim {
namespace {

// Ways stand in order of use, the latest first.
struct LruLines {
  static constexpr bool kFirstFree = false;  // empty ways stand last
  LruLines(const L2Spec&, std::uint32_t) {}

  template <class Set>
  std::uint32_t hit(Set& set, std::uint32_t, std::uint32_t way) {
    if (way) set.to_front(way, set.tags[way]);
    return 0;
  }
  template <class Set>
  std::uint32_t victim(const Set&, std::uint32_t, typename Set::Mask candidates) {
    return static_cast<std::uint32_t>(std::bit_width(candidates)) - 1;
  }
  template <class Set>
  std::uint32_t fill(Set& set, std::uint32_t, std::uint32_t way, std::uint16_t tag) {
    set.to_front(way, tag);
    return 0;
  }
};

class LruPieces {
 public:
  LruPieces(const L2Spec&, std::uint32_t pieces) : order_(pieces, 1) {}

  void insert(std::uint32_t piece) { order_.push_back(0, piece); }
  void hit(std::uint32_t piece) {
    order_.remove(piece);
    order_.push_back(0, piece);
  }
  void extend(std::uint32_t piece) { hit(piece); }
  void erase(std::uint32_t piece) { order_.remove(piece); }
  std::uint32_t victim(std::uint32_t) const { return order_.front(0); }

 private:
  PieceLinks order_;  // the least recently used first
};

const Registry<L2Policy>::Entry kLru("lru", "the least recently used line is evicted",
                                     std::make_unique<L2PolicyOf<LruLines, LruPieces>>());

}  // namespace
}  // namespace a3sim
