#include "traces/analysis/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/core/error.h"

namespace a3sim {

Causes::Causes(const Trace& trace) : trace_(trace), ranks_(trace.ranks.size()) {
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) sort_rank(r);
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    for (std::uint32_t t = 0; t < trace.ranks[r].size(); ++t) {
      const TraceTask& task = trace.ranks[r][t];
      TaskAt& last = ranks_[task.trigger_rank].producer[task.trigger_event];
      if (last == kNoTask || this->task(last).visible < task.visible) last = {r, t};
    }
  }
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    for (std::uint32_t t = 0; t < trace.ranks[r].size(); ++t) check({r, t});
  }
  for (std::uint32_t r = 0; r < trace.hosts.size(); ++r) {
    for (std::size_t n = 0; n < trace.hosts[r].size(); ++n) {
      if (!is_cause(r, n))
        throw InputError(fmt::format("rank {}: what its host did at {} ps cannot follow from its cause", r,
                                     trace.hosts[r][n].start.count()));
    }
  }
}

// Sorts tasks. Those without length at the same time may stand in any order; their numbers decide.
void Causes::sort_rank(std::uint32_t rank) {
  const std::vector<TraceTask>& tasks = trace_.ranks[rank];
  Rank& own = ranks_[rank];
  own.by_worker.resize(tasks.size());
  for (std::uint32_t t = 0; t < tasks.size(); ++t) own.by_worker[t] = t;
  std::sort(own.by_worker.begin(), own.by_worker.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t t) {
      return std::tuple(tasks[t].worker, tasks[t].taken, tasks[t].start, tasks[t].end, t);
    };
    return key(a) < key(b);
  });
  own.first.assign(workers() + 1, 0);
  for (const TraceTask& task : tasks) ++own.first[task.worker + 1];
  for (std::uint32_t w = 0; w < workers(); ++w) own.first[w + 1] += own.first[w];
  own.before.assign(tasks.size(), kNone);
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    const std::uint32_t last = own.by_worker[i - 1], next = own.by_worker[i];
    if (tasks[last].worker == tasks[next].worker) own.before[next] = last;
  }
}

void Causes::check(TaskAt at) const {
  const TraceTask& t = task(at);
  const TaskAt last = before(at);
  if (last != kNoTask && task(last).end > t.taken) {
    throw InputError(fmt::format("rank {}: tasks {} and {} run on worker {} at the same time", at.rank,
                                 last.task, at.task, t.worker));
  }
  if (!trace_.machine.has_kernels && t.dependent_event != kNone) check_event(at);
  if (!is_cause(at)) {
    throw InputError(fmt::format("rank {}: task {} cannot start because of what is named as its cause ({})",
                                 at.rank, at.task, name_of(t.cause.kind)));
  }
}

void Causes::check_event(TaskAt at) const {
  const TraceTask& t = task(at);
  const TaskAt from = producer(at);
  if (from == kNoTask) {
    throw InputError(fmt::format("rank {}: task {} waits for event {}, which no task triggers", at.rank,
                                 at.task, t.dependent_event));
  }
  if (task(from).visible > t.start) {
    throw InputError(fmt::format("rank {}: task {} starts before task {} of rank {} triggers event {}",
                                 at.rank, at.task, from.task, from.rank, t.dependent_event));
  }
}

bool Causes::exists(const Cause& cause) const {
  if (cause.host) return cause.rank < trace_.hosts.size() && cause.number < trace_.hosts[cause.rank].size();
  return cause.rank < ranks_.size() && cause.number < trace_.ranks[cause.rank].size();
}

Duration Causes::time(const Cause& cause, Duration before) const {
  if (!cause.has_activity()) return {};
  if (cause.host) return host(cause).end;
  const TraceTask& trace_task = task(cause.task());
  if (cause.kind == Cause::Kind::kEvent) return trace_task.visible;
  if (cause.kind != Cause::Kind::kScheduler) return trace_task.end;
  return std::min(trace_task.start, before);
}

bool Causes::is_cause(TaskAt at) const {
  const TraceTask& t = task(at);
  const Cause& cause = t.cause;
  const TaskAt last = before(at);
  // Any of a worker's tasks without length at its first time may be the first.
  if (!cause.has_activity()) {
    return cause.kind == Cause::Kind::kUnknown ||
           trace_.ranks[at.rank][tasks_of(at.rank, t.worker).front()].taken == t.taken;
  }
  const bool by_host = cause.kind == Cause::Kind::kHost, any = cause.kind == Cause::Kind::kDependency;
  if (!exists(cause) || (cause.host != by_host && !any) || time(cause, t.taken) > t.start) return false;
  switch (cause.kind) {
    case Cause::Kind::kLane:
      // Any of the tasks without length at the same time may be the one before.
      return cause.rank == at.rank && cause.task() != at && task(cause.task()).worker == t.worker &&
             time(cause) <= t.taken && (last == kNoTask || time(cause) >= task(last).end);
    case Cause::Kind::kEvent:
      return t.dependent_event != kNone && task(cause.task()).trigger_rank == at.rank &&
             task(cause.task()).trigger_event == t.dependent_event && time(cause) == ready(at);
    case Cause::Kind::kScheduler:
      return cause.rank == at.rank && cause.task() != at && task(cause.task()).taken <= t.taken;
    case Cause::Kind::kHost:
      return cause.rank == at.rank && time(cause) <= t.taken;
    case Cause::Kind::kWorkers:
      return cause.rank == at.rank && cause.task() != at;
    case Cause::Kind::kDependency:
      return (cause.host || cause.task() != at) && time(cause) <= t.taken;
    default:
      return false;
  }
}

bool Causes::is_cause(std::uint32_t rank, std::size_t number) const {
  const HostActivity& activity = trace_.hosts[rank][number];
  if (activity.start > activity.end || activity.asked > activity.start ||
      activity.op >= trace_.operators.size())
    return false;
  const Cause& cause = activity.cause;
  if (cause.kind == Cause::Kind::kBeginning) return trace_.machine.streams || number == 0;
  if (!exists(cause) || time(cause) > activity.start) return false;
  switch (cause.kind) {
    case Cause::Kind::kHost:
      return cause.host && cause.rank == rank && cause.number < number;
    case Cause::Kind::kKernel:
      return !cause.host && cause.rank == rank;
    case Cause::Kind::kMeeting:
      return time(cause) == activity.start && (!cause.host || cause.rank != rank || cause.number < number);
    case Cause::Kind::kDependency:
      return time(cause) <= activity.asked;
    case Cause::Kind::kWorkers:
      return cause.rank == rank;
    default:
      return false;
  }
}

std::span<const std::uint32_t> Causes::tasks_of(std::uint32_t rank, std::uint32_t worker) const {
  const Rank& own = ranks_[rank];
  return std::span(own.by_worker).subspan(own.first[worker], own.first[worker + 1] - own.first[worker]);
}

TaskAt Causes::before(TaskAt at) const {
  const std::uint32_t task = ranks_[at.rank].before[at.task];
  return task == kNone ? kNoTask : TaskAt{at.rank, task};
}

TaskAt Causes::producer(TaskAt at) const {
  const auto found = ranks_[at.rank].producer.find(task(at).dependent_event);
  return found == ranks_[at.rank].producer.end() ? kNoTask : found->second;
}

Duration Causes::ready(TaskAt at) const {
  const TaskAt from = producer(at);
  return from == kNoTask ? Duration::zero() : task(from).visible;
}

}  // namespace a3sim
