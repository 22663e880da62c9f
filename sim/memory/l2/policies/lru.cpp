#include <vector>

#include "sim/core/ids.h"
#include "sim/memory/l2/policy_of.h"

namespace a3sim {
namespace {

// Ways stand in order of use, the latest first.
struct LruLines {
  static constexpr bool kFirstFree = false;  // empty ways stand last
  LruLines(const L2Spec&, std::uint32_t) {}

  void begin(const L2Access&) {}
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

// A log of all uses, run by run, and of each piece the run that used it last: the first piece in the log that
// its run was the last to use is the victim. A use of a piece then writes one word; a list through the pieces
// would write at five places, and nearly every one is far from the next.
class LruPieces {
 public:
  LruPieces(const L2Spec&, std::uint32_t pieces) : last_use_(pieces, kNone), log_(kLeastLog) {}

  void begin(const L2Access&) {}
  void insert(std::uint32_t piece) { use(piece); }
  void hit(const PieceRun& run) {
    if (run.count == 1) return use(run.first);
    if (end_ == size_) drop_old();
    run.each([&](std::uint32_t piece) { last_use_[piece] = end_; });
    log_[end_++] = run;
  }
  void extend(std::uint32_t piece) { use(piece); }
  void erase(std::uint32_t piece) { last_use_[piece] = kNone; }
  // Pieces that were used again since, or erased, are taken out of the log on the way.
  std::uint32_t victim(std::uint32_t) {
    for (; begin_ < end_; ++begin_) {
      for (PieceRun& run = log_[begin_]; run.count; --run.count, run.first += run.step) {
        if (last_use_[run.first] == begin_) return run.first;
      }
    }
    return kNone;
  }

 private:
  static constexpr std::uint32_t kLeastLog = 1024;

  // Pieces that are used one by one, each beside the one before, make a run too.
  void use(std::uint32_t piece) {
    if (begin_ < end_ && log_[end_ - 1].step == 1 && log_[end_ - 1].first + log_[end_ - 1].count == piece) {
      ++log_[end_ - 1].count;
    } else {
      if (end_ == size_) drop_old();
      log_[end_++] = {piece};
    }
    last_use_[piece] = end_ - 1;
  }

  // Keeps runs that were the last to use some piece, and at least half of the log free: a use costs a
  // constant time on average. Nothing can foretell which uses are the last, so there is no branch on it.
  [[gnu::noinline]] void drop_old() {
    std::uint32_t kept = 0;
    for (std::uint32_t i = begin_; i < end_; ++i) {
      const PieceRun run = log_[i];
      bool last = false;
      run.each([&](std::uint32_t piece) {
        const std::uint32_t use = last_use_[piece];
        last_use_[piece] = use == i ? kept : use;
        last |= use == i;
      });
      log_[kept] = run;
      kept += last;
    }
    begin_ = 0;
    end_ = kept;
    if (kept <= size_ / 2) return;
    size_ = 4 * kept;
    log_.resize(size_);
  }

  std::vector<std::uint32_t> last_use_;  // by piece: where in the log
  std::vector<PieceRun> log_;            // as they were used, from begin_ to end_
  std::uint32_t begin_ = 0, end_ = 0, size_ = kLeastLog;
};

A3SIM_REGISTER(L2Policy, "lru", "the least recently used line is evicted", L2PolicyOf<LruLines, LruPieces>);

}  // namespace
}  // namespace a3sim
