#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// What happens before what where workers go through their own queues in order (static execution of a cyclic
// assignment): by events, and by the places of tasks on one worker. Where tasks are handed out at run time
// there is no such order. Slow, to explain what is refused.
class QueueOrder {
 public:
  // Every event has as many triggers as its threshold.
  explicit QueueOrder(const Schedule& schedule);

  // Whether the writer has ended before the reader begins, for any durations.
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
  std::vector<std::size_t> first_task_ = {0}, first_event_ = {0};  // by rank, and an end
  std::vector<std::uint32_t> before_;                              // by task: the one before it on its worker
  std::vector<std::vector<Task>> producers_;                       // by event
  std::vector<bool> seen_;                                         // by task: before the one searched from
  std::size_t searched_ = kNone;
};

}  // namespace a3sim
