#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/ids.h"

namespace a3sim {

// The dies of a group's ranks, and how close dies are that share a package, a node, ...
struct Placement {
  std::vector<std::uint32_t> dies;    // by rank; empty: all ranks are neighbours
  std::vector<std::uint32_t> levels;  // dies per level, from near to far; kNone: all
  std::uint32_t node_dies = kNone;    // dies per node; kNone: there is one node

  // Returns 0 for a rank and itself; otherwise the number, from 1, of the nearest level that both belong to,
  // or the number of levels plus one if there is none.
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
