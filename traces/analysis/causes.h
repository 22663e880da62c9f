#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "traces/trace.h"

namespace a3sim {

// Orders the tasks of a trace: each worker's by time, and for each event the task whose trigger completed
// it. Checks that recorded causes are possible.
class Causes {
 public:
  // The trace must outlive this object. Throws InputError if times and causes contradict each other.
  explicit Causes(const Trace& trace);

  const Trace& trace() const { return trace_; }
  const TraceTask& task(TaskAt at) const { return trace_.ranks[at.rank][at.task]; }

  // Returns the tasks of one worker of a rank, in order of time.
  std::span<const std::uint32_t> tasks_of(std::uint32_t rank, std::uint32_t worker) const;
  // Returns the task before on the same worker.
  TaskAt before(TaskAt at) const;
  // Returns the last task to trigger the event that a task waits for, or kNoTask if it waits for nothing.
  TaskAt producer(TaskAt at) const;
  // Returns when the worker saw that the task's inputs were there; zero if it waits for nothing.
  Duration ready(TaskAt at) const;
  const HostActivity& host(const Cause& cause) const { return trace_.hosts[cause.rank][cause.number]; }
  // Returns when the activity that a cause names was over. A task that was delayed after it was handed out
  // had been so before `before`, the time at which the next task was.
  Duration time(const Cause& cause, Duration before = Duration::max()) const;

  std::uint32_t workers() const { return trace_.machine.workers.workers(); }

 private:
  void sort_rank(std::uint32_t rank);
  void check(TaskAt at) const;
  void check_event(TaskAt at) const;
  bool exists(const Cause& cause) const;
  bool is_cause(TaskAt at) const;
  bool is_cause(std::uint32_t rank, std::size_t number) const;

  struct Rank {
    std::vector<std::uint32_t> by_worker, first;         // tasks; start of each worker's in `by_worker`
    std::vector<std::uint32_t> before;                   // one entry per task
    std::unordered_map<std::uint32_t, TaskAt> producer;  // one entry per event
  };
  const Trace& trace_;
  std::vector<Rank> ranks_;
};

}  // namespace a3sim
