#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/taskflow/taskflow.h"

namespace a3sim {

// Lists the tasks of one rank by the event that they wait for.
class EventConsumers {
 public:
  EventConsumers(std::span<const TaskDescriptor> tasks, std::size_t events) : offsets_(events + 2) {
    for (const TaskDescriptor& td : tasks) ++offsets_[slot(td, events) + 1];
    for (std::size_t e = 0; e <= events; ++e) offsets_[e + 1] += offsets_[e];
    tasks_.resize(tasks.size());
    std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    for (std::uint32_t t = 0; t < tasks.size(); ++t) tasks_[next[slot(tasks[t], events)]++] = t;
  }

  // Returns the tasks that wait for an event, in task order.
  std::span<const std::uint32_t> waiting(std::uint32_t event) const {
    return {tasks_.data() + offsets_[event], tasks_.data() + offsets_[event + 1]};
  }
  // Returns the tasks that wait for no event.
  std::span<const std::uint32_t> free() const {
    return waiting(static_cast<std::uint32_t>(offsets_.size() - 2));
  }

 private:
  static std::size_t slot(const TaskDescriptor& td, std::size_t events) {
    return td.dependent_event == kNone ? events : td.dependent_event;
  }
  std::vector<std::uint32_t> offsets_, tasks_;
};

}  // namespace a3sim
