#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// Decides which task a worker takes next, by the schedule's assignment.
//   cyclic: task i of a worker set belongs to worker i mod its size, and each worker takes its own tasks in queue order.
//   shared: a worker takes the first task of the queue that nobody has taken and that its sets allow.
// Workers are numbered kind by kind, as in the schedule.
class WorkerQueues {
 public:
  explicit WorkerQueues(const Ssc& ssc);
  // Considers only the tasks of these operators.
  WorkerQueues(const Ssc& ssc, const std::vector<bool>& operators);

  std::uint32_t workers() const { return static_cast<std::uint32_t>(worker_queue_.size()); }
  std::uint32_t queue_of(std::uint32_t worker) const { return worker_queue_[worker]; }
  // Returns the index of the task that the worker takes now, or kNone if none is left for it.
  std::uint32_t take(std::uint32_t worker);

 private:
  void deal_cyclic(const Ssc& ssc, const std::vector<bool>& operators);
  void split_by_set(const Ssc& ssc, const std::vector<bool>& operators);
  std::uint32_t take_shared(std::uint32_t worker);

  Assignment assignment_;
  std::vector<std::uint32_t> worker_queue_;
  // Consecutive lists of tasks: cyclic has one per worker, shared one per worker set.
  std::vector<std::uint32_t> tasks_;
  std::vector<std::uint32_t> next_, end_;
  std::vector<std::uint32_t> position_;  // shared: one entry per entry of tasks_: its position in its queue
  std::vector<std::vector<std::uint32_t>> sets_;  // shared: one list of sets per worker
};

}  // namespace a3sim
