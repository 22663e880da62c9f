#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "traces/trace.h"

namespace a3sim {

// The order of a trace's tasks: each worker's by time, and the task whose trigger completed each event. Checks
// that what is recorded as causes can be.
class Causes {
 public:
  // The trace must outlive it. Throws InputError where dates and causes contradict each other.
  explicit Causes(const Trace& trace);

  const Trace& trace() const { return trace_; }
  const TraceTask& task(TaskAt at) const { return trace_.ranks[at.rank][at.task]; }

  // A rank's tasks by worker, each worker's in order of time.
  std::span<const std::uint32_t> tasks_of(std::uint32_t rank, std::uint32_t worker) const;
  // The task before on the same worker.
  TaskAt before(TaskAt at) const;
  // The last to trigger the event that a task waits for; none where it waits for nothing.
  TaskAt producer(TaskAt at) const;
  // When what a task waits for was seen; zero where it waits for nothing.
  Duration ready(TaskAt at) const;
  const HostActivity& host(const Cause& cause) const { return trace_.hosts[cause.rank][cause.number]; }
  // When what a cause names was over. A task that was held up after it was handed out had been so before `before`,
  // when the next one was.
  Duration date(const Cause& cause, Duration before = Duration::max()) const;

  std::uint32_t workers() const { return trace_.machine.workers.workers(); }

 private:
  void sort_rank(std::uint32_t rank);
  void check(TaskAt at) const;
  void check_event(TaskAt at) const;
  bool exists(const Cause& cause) const;
  bool is_cause(TaskAt at) const;
  bool is_cause(std::uint32_t rank, std::size_t number) const;

  struct Rank {
    std::vector<std::uint32_t> by_worker, first;         // tasks; where each worker's begin
    std::vector<std::uint32_t> before;                   // by task
    std::unordered_map<std::uint32_t, TaskAt> producer;  // by event
  };
  const Trace& trace_;
  std::vector<Rank> ranks_;
};

}  // namespace a3sim
