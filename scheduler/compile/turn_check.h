#pragma once

#include "scheduler/compile/compile.h"
#include "scheduler/compile/emission.h"
#include "scheduler/compile/task_weights.h"
#include "scheduler/compile/worker_keys.h"
#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Throws InputError unless some ranks of the group can represent the others: rows go to experts, and keys
// sort the queues.
void check_turns(const CompileOptions& options);

// Throws InputError unless the order sorts the tasks of every rank like those of its representative: a task's
// keys must not change as the group turns, and no two tasks of a rank to different ranks may have equal keys.
void check_turns(const TaskflowView& taskflow, const CompileOptions& options, const TaskWeights& weights);

// Tasks that are wired, and the queues that hold them.
struct QueuedTasks {
  const TaskflowView& taskflow;
  const QueueContents& queues;
  const TaskWorkers& workers;
};

// Throws InputError unless the tasks of as many other ranks, `next`, do in the same order what those of the representatives do: tasks in the same place of a queue must move as many rows between ranks that lie as far apart, and
// wait for tasks that stand for one another. This finds what no key shows, such as parts of an expert's rows which other
// ranks send.
void check_turn(const QueuedTasks& representatives, const QueuedTasks& next, const CompileOptions& options);

}  // namespace a3sim
