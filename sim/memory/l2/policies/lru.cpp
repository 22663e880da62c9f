#include <vector>

#include "sim/core/ids.h"
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

// A log of all uses, and of each piece its last: the first entry of the log that is still its piece's last
// use is the victim. A use then writes two words, of which one follows that of the use before; a list through
// the pieces would write at five places, and nearly every one is far from the next.
class LruPieces {
 public:
  LruPieces(const L2Spec&, std::uint32_t pieces) : last_use_(pieces, kNone), log_(kLeastLog) {}

  void insert(std::uint32_t piece) { hit(piece); }
  void hit(std::uint32_t piece) {
    if (end_ == size_) drop_old();
    last_use_[piece] = end_;
    log_[end_++] = piece;
  }
  void extend(std::uint32_t piece) { hit(piece); }
  void erase(std::uint32_t piece) { last_use_[piece] = kNone; }
  std::uint32_t victim(std::uint32_t) {
    while (begin_ < end_ && last_use_[log_[begin_]] != begin_) ++begin_;
    return begin_ < end_ ? log_[begin_] : kNone;
  }

 private:
  static constexpr std::uint32_t kLeastLog = 1024;

  // Keeps last uses only, and at least half of the log free: a use costs a constant time on average. Nothing
  // can foretell which uses are the last, so there is no branch on it.
  [[gnu::noinline]] void drop_old() {
    std::uint32_t kept = 0;
    for (std::uint32_t i = begin_; i < end_; ++i) {
      const std::uint32_t piece = log_[i], last = last_use_[piece];
      log_[kept] = piece;
      last_use_[piece] = last == i ? kept : last;
      kept += last == i;
    }
    begin_ = 0;
    end_ = kept;
    if (kept <= size_ / 2) return;
    size_ = 4 * kept;
    log_.resize(size_);
  }

  std::vector<std::uint32_t> last_use_;  // by piece: where in the log
  std::vector<std::uint32_t> log_;       // pieces, as they were used, from begin_ to end_
  std::uint32_t begin_ = 0, end_ = 0, size_ = kLeastLog;
};

const Registry<L2Policy>::Entry kLru("lru", "the least recently used line is evicted",
                                     std::make_unique<L2PolicyOf<LruLines, LruPieces>>());

}  // namespace
}  // namespace a3sim
