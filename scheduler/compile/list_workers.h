#pragma once

#include "scheduler/compile/emission.h"
#include "scheduler/compile/worker_keys.h"

namespace a3sim {

// Schedules lists, for operators that an order says are `listed` (OrderSpec::workers): goes through the queues of all ranks
// as they stand, and gives each of their tasks to the worker of its operator's set that can start it first, of equal ones to
// the one with the smallest number. A task can start when its event is complete and its worker is free; it takes its
// arithmetic or, of vector tasks, its bytes at CompileOptions::path_rates. What is not listed takes the first free worker of
// its set in these estimates, and keeps its set. Each worker becomes a set of its own, which is added to the plan. Does
// nothing if no operator is listed. Throws InputError if there would be more sets than a task descriptor can name, and for a
// rate that is not positive.
void list_workers(const TaskflowView& taskflow, const RowLayout& layout, const CompileOptions& options,
                  const QueueContents& queues, WorkerPlan& plan, TaskWorkers& chosen);

}  // namespace a3sim
