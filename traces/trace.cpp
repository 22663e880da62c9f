#include "traces/trace.h"

#include <algorithm>

namespace a3sim {

bool known_by_time_alone(const TraceMachine& machine, const TraceTask& task) {
  const bool split = task.arithmetic > Duration::zero() ||
                     task.lost[static_cast<std::size_t>(Limit::kMiss)] > Duration::zero();
  return machine.streams && !task.remote && !split;
}

void add_run(const Trace& trace, const TraceTask& task, Duration until, BlameTimes& times) {
  static_assert(kLimits == 5, "every limit is to blame for its loss");
  constexpr std::array<Blame, kLimits> kOf{Blame::kL2Read, Blame::kL2Write, Blame::kHbm, Blame::kLink,
                                           Blame::kMiss};
  Duration own = until - task.start;
  for (std::uint32_t l = 0; l < kLimits; ++l) {
    at(times, kOf[l]) += task.lost[l];
    own -= task.lost[l];
  }
  if (task.remote) {
    at(times, Blame::kPut) += own;
    return;
  }
  const Duration hold = std::min(task.hold, own);
  at(times, Blame::kLaunch) += hold;
  own -= hold;
  const Duration arithmetic = std::min(task.arithmetic, own);
  const bool cube = trace.operators[task.op].unit == TaskUnit::kCube;
  at(times, cube ? Blame::kCube : Blame::kVector) += arithmetic;
  at(times, known_by_time_alone(trace.machine, task) ? Blame::kUnknown : Blame::kCore) += own - arithmetic;
}

}  // namespace a3sim
