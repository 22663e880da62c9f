#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/ids.h"

namespace a3sim {

// Queues of pieces, each piece in at most one of them, for policies in tests. Every call takes constant
// time and allocates nothing.
class PieceLinks {
 public:
  PieceLinks(std::uint32_t pieces, std::uint32_t queues) : pieces_(pieces), links_(pieces + queues) {
    for (std::uint32_t q = pieces; q < links_.size(); ++q) links_[q] = {q, q};
  }

  void push_back(std::uint32_t queue, std::uint32_t piece) {
    const std::uint32_t end = pieces_ + queue;
    const std::uint32_t last = links_[end].before;
    links_[piece] = {last, end};
    links_[last].after = piece;
    links_[end].before = piece;
  }

  void push_front(std::uint32_t queue, std::uint32_t piece) {
    const std::uint32_t end = pieces_ + queue;
    const std::uint32_t first = links_[end].after;
    links_[piece] = {end, first};
    links_[first].before = piece;
    links_[end].after = piece;
  }

  void remove(std::uint32_t piece) {
    const Link link = links_[piece];
    links_[link.before].after = link.after;
    links_[link.after].before = link.before;
  }

  // Returns the first piece of the queue, kNone if it is empty.
  std::uint32_t front(std::uint32_t queue) const {
    const std::uint32_t piece = links_[pieces_ + queue].after;
    return piece < pieces_ ? piece : kNone;
  }

 private:
  struct Link {
    std::uint32_t before, after;
  };

  std::uint32_t pieces_;
  std::vector<Link> links_;  // of the pieces, then the ends of the queues
};

}  // namespace a3sim
