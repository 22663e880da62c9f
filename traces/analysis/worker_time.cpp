#include "traces/analysis/worker_time.h"

#include <algorithm>
#include <optional>

#include "traces/analysis/kernels.h"

namespace a3sim {
namespace {

Duration& at(WorkerTimes& times, WorkerTime time) { return times[static_cast<std::size_t>(time)]; }

void add_task(const TraceTask& task, WorkerTimes& times) {
  if (task.remote) {
    at(times, WorkerTime::kLink) += task.end - task.start;
    return;
  }
  at(times, WorkerTime::kRun) += task.ideal;
  at(times, WorkerTime::kMemory) += task.end - task.start - task.ideal;
}

// What two stretches of time have in common.
Duration common(Duration a, Duration b, Duration c, Duration d) {
  return std::max(Duration::zero(), std::min(b, d) - std::max(a, c));
}

class GapSplit {
 public:
  explicit GapSplit(const Causes& causes) : causes_(causes), machine_(causes.trace().machine) {
    if (machine_.has_kernels()) kernels_.emplace(causes);
  }
  // The time between a worker's task and the one before it.
  void add(TaskAt next, Duration from, WorkerTimes& times) const;

 private:
  void add_wait(TaskAt next, Duration from, Duration to, WorkerTimes& times) const;
  void add_kernels(std::uint32_t rank, Duration from, Duration to, WorkerTimes& times) const;

  const Causes& causes_;
  const TraceMachine& machine_;
  std::optional<Kernels> kernels_;
};

void GapSplit::add(TaskAt next, Duration from, WorkerTimes& times) const {
  const TraceTask& task = causes_.task(next);
  if (machine_.handed_out) {
    at(times, WorkerTime::kScheduling) += task.start - task.taken;
    return add_wait(next, from, task.taken, times);
  }
  if (kernels_) {
    add_kernels(next.rank, from, task.taken, times);
    from = task.taken;
  }
  // A kernel's tasks are dealt out as they run: there is nothing left to split.
  const Duration checked = std::min(task.start, task.taken + machine_.static_task);
  at(times, WorkerTime::kScheduling) += checked - from;
  add_wait(next, checked, task.start, times);
}

// Until its last producer is complete it waits; then the news are on their way; then the worker looks only
// now and then, or the scheduler has not come to it.
void GapSplit::add_wait(TaskAt next, Duration from, Duration to, WorkerTimes& times) const {
  const TaskAt producer = causes_.producer(next);
  if (producer != kNoTask) {
    const Duration produced = std::clamp(causes_.task(producer).done, from, to);
    const Duration seen = std::clamp(causes_.ready(next), produced, to);
    at(times, WorkerTime::kWait) += produced - from;
    at(times, causes_.task(producer).remote ? WorkerTime::kLink : WorkerTime::kPoll) += seen - produced;
    from = seen;
  }
  at(times, !machine_.by_kernels && !machine_.handed_out ? WorkerTime::kPoll : WorkerTime::kScheduling) +=
      to - from;
}

void GapSplit::add_kernels(std::uint32_t rank, Duration from, Duration to, WorkerTimes& times) const {
  Duration rest = to - from;
  const auto add = [&](WorkerTime time, Duration a, Duration b) {
    const Duration part = common(from, to, a, b);
    at(times, time) += part;
    rest -= part;
  };
  for (std::uint32_t k = 0; k < kernels_->count(); ++k) {
    const Kernels::Kernel& kernel = kernels_->at(rank, k);
    const Duration ended = kernel.launched - machine_.launch;
    add(WorkerTime::kScheduling, ended, kernel.launched);
    if (kernels_->meets_before(k))
      add(WorkerTime::kScheduling, kernel.dealt - machine_.collective, kernel.dealt);
    if (k > 0 && kernels_->meets(k - 1)) add(WorkerTime::kLink, ended - machine_.farthest, ended);
  }
  at(times, WorkerTime::kWait) += rest;
}

}  // namespace

std::vector<std::array<WorkerTimes, 2>> worker_times(const Causes& causes) {
  const Trace& trace = causes.trace();
  const GapSplit gaps(causes);
  std::vector<std::array<WorkerTimes, 2>> ranks(trace.ranks.size());
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    for (std::uint32_t w = 0; w < causes.workers(); ++w) {
      WorkerTimes& times = ranks[r][w < trace.machine.workers[0] ? 0 : 1];
      Duration until{};
      bool first = true;
      for (const std::uint32_t t : causes.tasks_of(r, w)) {
        const TraceTask& task = trace.ranks[r][t];
        if (first) {
          at(times, WorkerTime::kHead) += task.start;
        } else {
          gaps.add({r, t}, until, times);
        }
        add_task(task, times);
        until = task.end;
        first = false;
      }
      at(times, first ? WorkerTime::kHead : WorkerTime::kTail) += trace.makespan - until;
    }
  }
  return ranks;
}

}  // namespace a3sim
