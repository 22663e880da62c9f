#include "traces/trace.h"

namespace a3sim {

void add_run(const Trace& trace, const TraceTask& task, Duration until, BlameTimes& times) {
  static_assert(kLimits == 5, "every limit is to blame for its loss");
  constexpr std::array<Blame, kLimits> kOf{Blame::kL2Read, Blame::kL2Write, Blame::kHbm, Blame::kLink,
                                           Blame::kMiss};
  Duration own = until - task.start;
  for (std::uint32_t l = 0; l < kLimits; ++l) {
    at(times, kOf[l]) += task.lost[l];
    own -= task.lost[l];
  }
  const TaskUnit unit = trace.operators[task.op].unit;
  at(times, task.remote ? Blame::kPut : unit == TaskUnit::kCube ? Blame::kCube : Blame::kVector) += own;
}

}  // namespace a3sim
