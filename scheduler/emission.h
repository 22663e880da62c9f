#pragma once

#include <array>
#include <string>
#include <vector>

#include "scheduler/taskflow_view.h"

namespace a3sim {

// The order in which one queue's tasks are wanted: positions in the rank's task table.
struct QueuePlan {
  std::vector<std::uint32_t> tasks;
  bool fixed = false;  // must be kept exactly
};
// By rank and queue. Every task of a rank stands in exactly one of its plans.
using Plans = std::vector<std::array<QueuePlan, kQueues>>;

// Queue contents in a legal order: the queues, each served in order by one worker, would all run to their
// end.
//
// Every queue emits its next wanted task when all that the task waits for has been emitted, and waits
// otherwise. Only when no queue of any rank can go on, the first queue (by rank, CTQ before VTQ) that has a
// ready task emits the first of these. So a legal plan is kept, and one that is not is departed from only
// where nothing else helps. What has been emitted by the time when no queue can go on does not depend on who
// went first, hence neither does the result.
//
// Throws InputError if fixed plans cannot be kept: names a task that holds up its queue, and what it waits
// for. `where` begins the message.
std::vector<std::array<std::vector<std::uint32_t>, kQueues>> emit(const TaskflowView& taskflow,
                                                                  const Plans& plans,
                                                                  const std::string& where);

}  // namespace a3sim
