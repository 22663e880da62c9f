#pragma once

#include <bit>
#include <cstdint>

#include "sim/memory/l2/piece_links.h"

// Re-reference interval prediction (Jaleel et al., ISCA 2010), what SRRIP and DRRIP share. A line carries a
// prediction in two bits: 0 (soon used again) to 3 (not for long). A hit sets 0; the victim is a line with 3,
// and while there is none all predictions grow by one.
namespace a3sim::rrip {

inline constexpr std::uint32_t kLong = 2, kDistant = 3;

// The predictions of a set's ways are its planes: plane[1] the upper bits, plane[0] the lower.
template <class Set>
void predict(Set& set, std::uint32_t way, std::uint32_t prediction) {
  for (std::uint32_t b = 0; b < 2; ++b) {
    if (prediction >> b & 1) {
      set.plane[b] |= Set::bit(way);
    } else {
      set.plane[b] &= ~Set::bit(way);
    }
  }
}

// The first way that is predicted farthest, after the ageing that makes this the most distant prediction.
template <class Set>
std::uint32_t victim(Set& set, typename Set::Mask candidates) {
  using Mask = typename Set::Mask;
  for (;;) {
    const Mask distant = set.plane[1] & set.plane[0] & candidates;
    if (distant) return static_cast<std::uint32_t>(std::countr_zero(distant));
    const Mask upper = set.plane[1] | set.plane[0];
    set.plane[0] = static_cast<Mask>(~set.plane[0]) | (set.plane[1] & set.plane[0]);
    set.plane[1] = upper;
  }
}

// The same for pieces: a queue for each prediction. In a set the first way of the most distant prediction is
// the victim, and the new line takes its way: predicted distant, it is itself the next victim; predicted
// long, it is behind the others.
class Pieces {
 public:
  explicit Pieces(std::uint32_t pieces) : queues_(pieces, 4) {}

  void insert(std::uint32_t piece, std::uint32_t prediction) {
    if (prediction == kDistant) {
      queues_.push_front(queue(prediction), piece);
    } else {
      queues_.push_back(queue(prediction), piece);
    }
  }
  void hit(std::uint32_t piece) {
    queues_.remove(piece);
    queues_.push_back(queue(0), piece);
  }
  void erase(std::uint32_t piece) { queues_.remove(piece); }
  // kNone if it holds no piece.
  std::uint32_t victim() {
    for (std::uint32_t tries = 0; tries < 4; ++tries) {
      const std::uint32_t piece = queues_.front(queue(kDistant));
      if (piece != kNone) return piece;
      ++age_;  // the empty queue becomes that of prediction 0
    }
    return kNone;
  }

 private:
  std::uint32_t queue(std::uint32_t prediction) const { return (prediction - age_) & 3; }

  PieceLinks queues_;
  std::uint32_t age_ = 0;
};

}  // namespace a3sim::rrip
