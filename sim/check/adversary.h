#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/check/data_check.h"

// Delays that try to make a task read before its writers are done, and schedules without a wait so that it
// does.
namespace a3sim {

struct TaskPlace {
  std::uint32_t rank, task;
  friend bool operator==(TaskPlace, TaskPlace) = default;
};

// Delays about half of the tasks, drawn from the seed, by up to `most`.
Delays drawn_delays(const Schedule& schedule, std::uint64_t seed, Duration most);
// Delays all tasks of an operator by `by`.
Delays held_operator(const Schedule& schedule, OpId op, Duration by);
// Delays one task.
Delays held_task(const Schedule& schedule, TaskPlace place, Duration by);

// Returns the schedule with one task that waits for nothing.
Schedule without_wait(Schedule schedule, TaskPlace place);

// A run with a wrong result, because a task did not wait.
struct Exposed {
  TaskPlace late;  // the delayed task, one that it would have waited for
  Duration by;
  std::vector<TensorComparison> outcome;
  std::vector<TensorComparison> waiting;  // with the wait and the same delay
};
// Removes the wait of a task and delays the tasks that it waited for, one at a time, until a result is
// wrong. Returns nullopt if no delay gives a wrong result: then the task reads no rows under this routing,
// or other tasks wait for the same (before it in its worker's list, or between it and the tasks that read
// its output).
std::optional<Exposed> expose(const DataCheck& check, const DataCheck::Pass& pass, TaskPlace waiting);

}  // namespace a3sim
