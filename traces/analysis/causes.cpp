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
}

// Tasks of no length may stand at one date: the order of their numbers is as good as any.
void Causes::sort_rank(std::uint32_t rank) {
  const std::vector<TraceTask>& tasks = trace_.ranks[rank];
  Rank& of = ranks_[rank];
  of.by_worker.resize(tasks.size());
  for (std::uint32_t t = 0; t < tasks.size(); ++t) of.by_worker[t] = t;
  of.by_start = of.by_worker;
  std::sort(of.by_worker.begin(), of.by_worker.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t t) {
      return std::tuple(tasks[t].worker, tasks[t].taken, tasks[t].start, tasks[t].end, t);
    };
    return key(a) < key(b);
  });
  std::sort(of.by_start.begin(), of.by_start.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(tasks[a].start, a) < std::tuple(tasks[b].start, b);
  });
  of.first.assign(workers() + 1, 0);
  for (const TraceTask& task : tasks) ++of.first[task.worker + 1];
  for (std::uint32_t w = 0; w < workers(); ++w) of.first[w + 1] += of.first[w];
  of.before.assign(tasks.size(), kNone);
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    const std::uint32_t last = of.by_worker[i - 1], next = of.by_worker[i];
    if (tasks[last].worker == tasks[next].worker) of.before[next] = last;
  }
}

void Causes::check(TaskAt at) const {
  const TraceTask& t = task(at);
  const TaskAt last = before(at);
  if (last != kNoTask && task(last).end > t.taken) {
    throw InputError(fmt::format("rank {}: tasks {} and {} run on worker {} at the same time", at.rank,
                                 last.task, at.task, t.worker));
  }
  if (trace_.machine.has_kernels() || t.dependent_event == kNone) return;
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

std::span<const std::uint32_t> Causes::tasks_of(std::uint32_t rank, std::uint32_t worker) const {
  const Rank& of = ranks_[rank];
  return std::span(of.by_worker).subspan(of.first[worker], of.first[worker + 1] - of.first[worker]);
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

TaskAt Causes::started_before(std::uint32_t rank, Duration date, std::uint32_t except) const {
  const std::vector<TraceTask>& tasks = trace_.ranks[rank];
  const std::vector<std::uint32_t>& by_start = ranks_[rank].by_start;
  auto end = std::upper_bound(by_start.begin(), by_start.end(), date,
                              [&](Duration d, std::uint32_t t) { return d < tasks[t].start; });
  while (end != by_start.begin()) {
    if (*--end != except) return {rank, *end};
  }
  return kNoTask;
}

}  // namespace a3sim
