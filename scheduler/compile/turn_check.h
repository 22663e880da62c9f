#pragma once

#include "scheduler/compile/compile.h"
#include "scheduler/compile/task_weights.h"
#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Throws InputError unless some ranks of the group can represent the others: rows go to experts, and keys
// sort the queues.
void check_turns(const CompileOptions& options);

// Throws InputError unless the order sorts the tasks of every rank like those of its representative: a task's
// keys must not change as the group turns, and no two tasks of a rank to different ranks may have equal keys.
void check_turns(const TaskflowView& taskflow, const CompileOptions& options, const TaskWeights& weights);

}  // namespace a3sim
