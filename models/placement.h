#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/ids.h"

namespace a3sim {

// Where the ranks of a group lie: their dies, and how close dies are that share a package, a node, …
struct Placement {
  std::vector<std::uint32_t> dies;    // by rank; none: all ranks are neighbours
  std::vector<std::uint32_t> levels;  // so many dies are this close, from near to far; kNone: all are
  std::uint32_t node_dies = kNone;    // of a node; kNone: there is but one

  // 0 from a rank to itself; else the number, from 1, of the nearest level that both belong to: one more than
  // there are levels where none has both.
  std::uint32_t distance(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return 0;
    std::uint32_t level = 1;
    if (dies.empty()) return level;
    for (const std::uint32_t count : levels) {
      if (count == kNone || dies[a] / count == dies[b] / count) break;
      ++level;
    }
    return level;
  }
  std::uint32_t node(std::uint32_t rank) const {
    return dies.empty() || node_dies == kNone ? 0 : dies[rank] / node_dies;
  }
  friend bool operator==(const Placement&, const Placement&) = default;
};

}  // namespace a3sim
