#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Answers whether one task always ends before another begins. Under static execution of a cyclic assignment
// this follows from events and from the order of tasks on each worker. Under other assignments only events
// count. Slow: use it only to explain errors.
class QueueOrder {
 public:
  // Every event must have as many triggers as its threshold.
  explicit QueueOrder(const Schedule& schedule);

  // Returns whether the writer ends before the reader begins, for any durations.
  bool orders(std::uint32_t writer_rank, std::uint32_t writer, std::uint32_t reader_rank,
              std::uint32_t reader);

 private:
  struct Task {
    std::uint32_t rank, task;
  };
  void search(Task from);
  std::size_t number(Task task) const { return first_task_[task.rank] + task.task; }
  std::size_t event_number(std::uint32_t rank, std::uint32_t event) const {
    return first_event_[rank] + event;
  }

  TaskflowView taskflow_;
  std::vector<std::size_t> first_task_ = {0}, first_event_ = {0};  // one entry per rank, and the end
  std::vector<std::uint32_t> before_;         // one entry per task: the task before it on its worker
  std::vector<std::vector<Task>> producers_;  // one list per event
  std::vector<bool> seen_;  // one entry per task: true if it is before the task that was searched from
  std::size_t searched_ = kNone;
};

}  // namespace a3sim
