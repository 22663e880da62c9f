#include "traces/analysis/operator_stats.h"

#include <algorithm>

#include "traces/analysis/worker_time.h"

namespace a3sim {

std::vector<OperatorStats> operator_stats(const Causes& causes) {
  const Trace& trace = causes.trace();
  std::vector<OperatorStats> stats(trace.operators.size());
  for (const auto& rank : trace.ranks) {
    for (const TraceTask& task : rank) {
      OperatorStats& op = stats[task.op];
      ++op.tasks;
      op.first_start = std::min(op.first_start, task.start);
      op.last_end = std::max(op.last_end, task.end);
      op.ran += task.end - task.start;
      op.ideal += task.ideal;
      for (std::uint32_t l = 0; l < kLimits; ++l) op.lost[l] += task.lost[l];
    }
  }
  const std::vector<WorkerTimes> times = operator_times(causes);
  for (std::size_t op = 0; op < stats.size(); ++op) stats[op].waited = part_of(times[op], WorkerTime::kWait);
  return stats;
}

std::uint32_t OperatorStats::worst_limit() const {
  const auto worst = std::max_element(lost.begin(), lost.end());
  return *worst == Duration::zero() ? kLimits : static_cast<std::uint32_t>(worst - lost.begin());
}

}  // namespace a3sim
