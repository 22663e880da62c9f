#pragma once

#include <array>
#include <string>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// The desired order of the tasks of one unit, or of a kind with operators of its own, as copy engines are:
// indices in the rank's task table.
struct UnitPlan {
  std::vector<std::uint32_t> tasks;
  bool fixed = false;           // the order must be kept exactly
  std::uint32_t queue = kNone;  // of a kind's own tasks
};
// One entry per rank, then unit; those behind are of the tasks that kinds have as their own, in the kinds'
// order. Every task of a rank is in exactly one of its plans.
inline constexpr std::uint32_t kMostOwnKinds = 4, kPlans = kCoreUnits + kMostOwnKinds;
using Plans = std::vector<std::array<UnitPlan, kPlans>>;

// One entry per rank, then queue: task indices.
using QueueContents = std::vector<std::vector<std::vector<std::uint32_t>>>;

// Returns queue contents in a legal order: if each queue is served in order by one worker, all queues finish.
// A plan goes to the queue of the kind of worker that has its unit; a kind with both units merges two plans.
//
// The algorithm works in rounds. In each round every queue emits one task whose predecessors were all emitted
// before the round: of the next such tasks in its plans it takes the one from the plan that has emitted the
// smaller part, and the matrix task if the parts are equal. So the plans of one queue advance side by side,
// and in the same way on similar ranks. If no queue of any rank can continue, the first plan (by rank, matrix
// before vector) with a ready task emits its first ready task. So a legal plan is kept, and an illegal one is
// left only where nothing else helps. If each plan has a queue of its own, the tasks emitted before all
// queues block do not depend on the order of the queues, and neither does the result; such a queue emits
// everything that it can in its turn.
//
// Throws InputError if fixed plans cannot be kept. The message begins with `where` and names a task that
// blocks its queue and what it waits for.
QueueContents emit(const TaskflowView& taskflow, const Plans& plans, const WorkerKinds& kinds,
                   const std::string& where);

}  // namespace a3sim
