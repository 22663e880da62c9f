#pragma once

#include <cstdint>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// A stretch of a step's critical path: up to `to`, all waited for this operator of this rank.
struct InferredStretch {
  Duration from{}, to{};
  std::uint32_t rank = 0, op = 0;
};

struct InferredPath {
  std::vector<InferredStretch> stretches;  // in order of time, each beginning where the one before ends
  // The part of its time in which an operator on it ran beside the one before: what records of whole operators cannot
  // tell apart.
  double overlapped = 0;
  // The part of its time in which nothing ran on any rank: it is counted for what runs next. Dates of different steps look
  // like that.
  double idle = 0;

  // Whether it may be believed.
  bool sure() const { return !stretches.empty() && overlapped <= 0.05 && idle <= 0.5; }
};

// The critical path of a step by its records alone, which say when operators ran and not what they waited for. From the
// last end on backwards: before an operator ends, what held it up is what ended last of that which began before it:
//   on its own rank, whatever ran there;
//   on others, what sends to its rank, or, where all ranks begin to exchange at one date, whatever came last before it.
// Operators one after the other meet end to start: there it is exact, but for equal ranks, of which it takes one.
InferredPath inferred_path(const FullStep& step);

}  // namespace a3sim
