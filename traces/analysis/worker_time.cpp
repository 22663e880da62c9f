#include "traces/analysis/worker_time.h"

#include <algorithm>
#include <span>

namespace a3sim {
namespace {

Duration& at(WorkerTimes& times, WorkerTime time) { return times[static_cast<std::size_t>(time)]; }

void add_task(const TraceTask& task, WorkerTimes& times) {
  if (task.remote) {
    at(times, WorkerTime::kPuts) += task.end - task.start;
    return;
  }
  at(times, WorkerTime::kRun) += task.ideal;
  at(times, WorkerTime::kMemory) += task.end - task.start - task.ideal;
}

// Calls add(rank, kind, op, times) for each task of each worker with the time before it, and with kNone for
// idle time.
template <class Add>
void split_all(const Causes& causes, Add add) {
  const Trace& trace = causes.trace();
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (std::uint32_t w = 0; w < causes.workers(); ++w) {
      const std::uint32_t kind = trace.machine.workers.queue_of(w);
      const std::span<const std::uint32_t> tasks = causes.tasks_of(r, w);
      Duration until = tasks.empty() ? Duration::zero() : trace.ranks[r][tasks.front()].taken;
      WorkerTimes idle{};
      at(idle, WorkerTime::kIdle) = until;
      for (const std::uint32_t t : tasks) {
        const TraceTask& task = trace.ranks[r][t];
        WorkerTimes times{};
        at(times, WorkerTime::kWait) += task.waited;
        at(times, WorkerTime::kScheduling) += task.start - until - task.waited;
        add_task(task, times);
        add(r, kind, task.op, times);
        until = task.end;
      }
      at(idle, WorkerTime::kIdle) += trace.makespan - until;
      add(r, kind, kNone, idle);
    }
  }
}

void add_times(const WorkerTimes& times, WorkerTimes& to) {
  for (std::uint32_t t = 0; t < kWorkerTimes; ++t) to[t] += times[t];
}

}  // namespace

std::vector<std::vector<WorkerTimes>> worker_times(const Causes& causes) {
  const Trace& trace = causes.trace();
  std::vector<std::vector<WorkerTimes>> ranks(trace.ranks.size(),
                                              std::vector<WorkerTimes>(trace.machine.workers.size()));
  split_all(causes, [&](std::uint32_t rank, std::uint32_t kind, std::uint32_t, const WorkerTimes& times) {
    add_times(times, ranks[rank][kind]);
  });
  return ranks;
}

std::vector<WorkerTimes> operator_times(const Causes& causes) {
  std::vector<WorkerTimes> operators(causes.trace().operators.size());
  split_all(causes, [&](std::uint32_t, std::uint32_t, std::uint32_t op, const WorkerTimes& times) {
    if (op != kNone) add_times(times, operators[op]);
  });
  return operators;
}

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
