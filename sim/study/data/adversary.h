#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/study/data/data_check.h"

// Delays that try to make a reader run before its writers, and waits taken away so that it does.
namespace a3sim {

// A task of a pass, on a rank.
struct TaskPlace {
  std::uint32_t rank, task;
  friend bool operator==(TaskPlace, TaskPlace) = default;
};

// Every second task, drawn from the seed, starts up to `most` later.
Delays drawn_delays(const Schedule& schedule, std::uint64_t seed, Duration most);
// All tasks of an operator start `by` later.
Delays held_operator(const Schedule& schedule, OpId op, Duration by);
// One task does.
Delays held_task(const Schedule& schedule, TaskPlace place, Duration by);

// The schedule with one task waiting for nothing.
Schedule without_wait(Schedule schedule, TaskPlace place);

// A run in which a task that no longer waits gives a wrong result.
struct Exposed {
  TaskPlace late;  // one of those that it waited for
  Duration by;
  std::vector<TensorComparison> outcome;
  std::vector<TensorComparison> waiting;  // of the schedule as it was, the same task as late
};
// Takes the wait of a task away and holds up what it waited for, a task at a time, until one shows. None:
// whichever is late, the result is right. Then the task reads no rows under this routing, or others wait for
// the same: before it in its worker's list, or beside it on the way to who reads on.
std::optional<Exposed> expose(const DataCheck& check, const DataCheck::Pass& pass, TaskPlace waiting);

}  // namespace a3sim
