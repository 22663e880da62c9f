#include <deque>

#include "sim/memory/l2/policy_of.h"

namespace a3sim {
namespace {

// Ways are in order of arrival, the latest first. Empty ways are last, so they are filled first.
struct FifoLines {
  FifoLines(const L2Spec&, std::uint32_t) {}

  void begin(const L2Access&) {}
  template <class Set>
  std::uint32_t hit(const Set&, std::uint32_t, std::uint32_t way) {
    return way;
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

// A queue of pieces in order of arrival. Skips a piece that has gone since, or gone and come back.
class FifoPieces {
 public:
  FifoPieces(const L2Spec&, std::uint32_t pieces) : came_(pieces, kNone) {}

  void begin(const L2Access&) {}
  void insert(std::uint32_t piece) {
    came_[piece] = number_;
    queue_.push_back({piece, number_++});
  }
  void hit(const PieceRun&) {}
  void extend(std::uint32_t) {}
  void erase(std::uint32_t piece) { came_[piece] = kNone; }
  std::uint32_t victim(std::uint32_t) {
    while (!queue_.empty() && came_[queue_.front().piece] != queue_.front().number) queue_.pop_front();
    return queue_.empty() ? kNone : queue_.front().piece;
  }

 private:
  struct Came {
    std::uint32_t piece, number;
  };
  std::vector<std::uint32_t> came_;  // by piece: its arrival
  std::deque<Came> queue_;
  std::uint32_t number_ = 0;
};

A3SIM_REGISTER(L2Policy, "fifo", "the line that came first is evicted, however often it was used",
               L2PolicyOf<FifoLines, FifoPieces>);

}  // namespace
}  // namespace a3sim
