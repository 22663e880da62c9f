#pragma once

#include "scheduler/compile/compile.h"
#include "scheduler/compile/task_weights.h"
#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Whether a group's ranks can stand for one another at all: rows go to experts, and keys sort the queues. Throws
// InputError if not.
void check_turns(const CompileOptions& options);

// That the order has the tasks of any rank in the order of the one that stands for it: a key of a task does not
// change as its group turns, and no two tasks of one rank to different ranks have equal keys. Throws InputError.
void check_turns(const TaskflowView& taskflow, const CompileOptions& options, const TaskWeights& weights);

}  // namespace a3sim
