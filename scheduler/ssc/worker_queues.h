#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// Which task a worker takes next, by the schedule's assignment:
//   cyclic: task i of a worker set belongs to worker i mod its size; every worker goes through its own in
//   queue order. shared: a worker takes the first task of the queue that nobody has taken and that its sets
//   allow.
// Workers are numbered kind by kind, as the schedule has them.
class WorkerQueues {
 public:
  explicit WorkerQueues(const Ssc& ssc);
  // Of the tasks of these operators only, as if there were no others.
  WorkerQueues(const Ssc& ssc, const std::vector<bool>& operators);

  std::uint32_t workers() const { return static_cast<std::uint32_t>(worker_queue_.size()); }
  std::uint32_t queue_of(std::uint32_t worker) const { return worker_queue_[worker]; }
  // The index of the task that the worker takes now, or kNone when nothing is left for it.
  std::uint32_t take(std::uint32_t worker);

 private:
  void deal_cyclic(const Ssc& ssc, const std::vector<bool>& operators);
  void split_by_set(const Ssc& ssc, const std::vector<bool>& operators);
  std::uint32_t take_shared(std::uint32_t worker);

  Assignment assignment_;
  std::vector<std::uint32_t> worker_queue_;
  // cyclic: a list a worker; shared: a list a worker set. Lists stand behind one another.
  std::vector<std::uint32_t> tasks_;
  std::vector<std::uint32_t> next_, end_;
  std::vector<std::uint32_t> position_;           // shared: of each entry of tasks_, in its queue
  std::vector<std::vector<std::uint32_t>> sets_;  // shared: the sets of each worker
};

}  // namespace a3sim
