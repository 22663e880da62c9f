#pragma once

#include <vector>

#include "traces/analysis/critical_path.h"

namespace a3sim {

// Neighbouring steps of a critical path, taken as one.
struct PathStretch {
  Duration from{}, to{};
  std::vector<std::uint32_t> ops;  // in the order of their first step
  std::uint32_t tasks = 0;         // that ran
  BlameTimes blame{};

  // What most of it was spent on; the first of equals.
  Blame most() const;
};

// The path in at most `most` stretches (at least 1): runs of one operator; if these are too many, two that
// take turns in one; and then, as often as needed, the shortest stretch together with the shorter of its
// neighbours, and with those that have no other operators.
std::vector<PathStretch> summarise(const CriticalPath& path, std::size_t most);

}  // namespace a3sim
