#include "traces/analysis/inferred_causes.h"

#include <algorithm>

#include "traces/analysis/causes.h"

namespace a3sim {

void infer_causes(Trace& trace) {
  for (std::vector<TraceTask>& tasks : trace.ranks) {
    for (TraceTask& task : tasks) task.cause = {Cause::Kind::kUnknown};
  }
  const Causes order(trace);
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (std::uint32_t t = 0; t < trace.ranks[r].size(); ++t) {
      TraceTask& task = trace.ranks[r][t];
      const TaskAt before = order.before({r, t}), producer = order.producer({r, t});
      const Duration free = before == kNoTask ? Duration::zero() : order.task(before).end,
                     ready = order.ready({r, t});
      const bool waits = producer != kNoTask && ready <= task.start;
      if (waits && ready > free)
        task.cause = {Cause::Kind::kEvent, false, producer.rank, producer.task};
      else if (before != kNoTask)
        task.cause = {Cause::Kind::kLane, false, r, before.task};
      else
        task.cause = {};
      const Duration from = before == kNoTask ? task.taken : free;
      if (waits) task.waited = std::max(from, ready) - from;
    }
  }
  trace.inferred = true;
}

}  // namespace a3sim
