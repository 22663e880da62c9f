#pragma once

#include "scheduler/compile/emission.h"
#include "scheduler/compile/worker_keys.h"

namespace a3sim {

// Chooses workers by list scheduling, for operators that an order says are `listed` (OrderSpec::workers).
// Goes through the queues of all ranks in order, and gives each task to the worker of its operator's set that
// can start it first; of equal ones, to the one with the smallest number. A task can start when its event is
// complete and its worker is free. It takes the time of its arithmetic or, for vector tasks, of its bytes at
// CompileOptions::path_rates.
// Tasks that are not listed take the first free worker of their set in these estimates, and keep their set.
// Each chosen worker becomes a set of its own, which is added to the plan. Does nothing if no operator is
// listed. Throws InputError if there would be more sets than a task descriptor can name, and for a rate that
// is not positive.
void list_workers(const TaskflowView& taskflow, const RowLayout& layout, const CompileOptions& options,
                  const QueueContents& queues, WorkerPlan& plan, TaskWorkers& chosen);

}  // namespace a3sim
