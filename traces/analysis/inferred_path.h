#pragma once

#include <cstdint>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// A stretch of a step's critical path. Until `to`, all waited for this operator of this rank.
struct InferredStretch {
  Duration from{}, to{};
  std::uint32_t rank = 0, op = 0;
};

struct InferredPath {
  std::vector<InferredStretch> stretches;  // in order of time; each begins where the one before ends
  // The part of its time in which an operator on it ran beside the one before. Records of whole operators
  // do not tell which of the two was critical.
  double overlapped = 0;
  // The part of its time in which nothing ran on any rank. It counts for the operator that runs next. Times
  // of different steps look like this.
  double idle = 0;

  // True if the path can be trusted.
  bool sure() const { return !stretches.empty() && overlapped <= 0.05 && idle <= 0.5; }
};

// Returns the critical path of a step from records alone, which say when operators ran but not what they
// waited for. Goes backwards from the last end. What delayed an operator is the last to end of those that
// began before it:
// on its own rank, any operator;
// on other ranks, those that send to its rank or, if all ranks begin to exchange at the same time, whatever came
// last before it.
// If operators follow each other end to start, the path is exact, except that it takes one of several equal
// ranks.
InferredPath inferred_path(const FullStep& step);

}  // namespace a3sim
