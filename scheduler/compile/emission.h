#pragma once

#include <array>
#include <string>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// The order in which the tasks of one unit are wanted: positions in the rank's task table.
struct UnitPlan {
  std::vector<std::uint32_t> tasks;
  bool fixed = false;  // must be kept exactly
};
// By rank and unit. Every task of a rank stands in exactly one of its plans.
using Plans = std::vector<std::array<UnitPlan, kCoreUnits>>;

// By rank and queue.
using QueueContents = std::vector<std::vector<std::vector<std::uint32_t>>>;

// Queue contents in a legal order: the queues, each served in order by one worker, would all run to their
// end. A plan goes to the queue of the kind of worker that has its unit; a kind with both merges two.
//
// It goes in rounds. In each, every queue emits one task: of the next wanted ones of its plans, those whose waits
// were all emitted before the round, that of the plan of which the smaller part has been emitted; of equal parts the
// matrix task. So the plans of one queue advance side by side, and alike on ranks that are alike. Only when no
// queue of any rank can go on, the first plan (by rank, matrix tasks before vector tasks) that has a ready task
// emits the first of these. So a legal plan is kept, and one that is not is departed from only where nothing else
// helps. Where each plan has a
// queue of its own, what has been emitted by the time when no queue can go on does not depend on who went first,
// hence neither does the result: such a queue emits all that it can when it is its turn.
//
// Throws InputError if fixed plans cannot be kept: names a task that holds up its queue, and what it waits
// for. `where` begins the message.
QueueContents emit(const TaskflowView& taskflow, const Plans& plans, const WorkerKinds& kinds,
                   const std::string& where);

}  // namespace a3sim
