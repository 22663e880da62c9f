#pragma once

#include "scheduler/compile/emission.h"
#include "scheduler/compile/task_weights.h"
#include "scheduler/orders/order.h"

namespace a3sim {

// Returns the desired order of the tasks of each unit, and of those that kinds of worker have as their own:
// either sorted by the order's keys, then by task, or its explicit list. Throws InputError for a key that cannot be evaluated, and for a list that does not hold
// each task of its unit once.
Plans make_plans(const TaskflowView& taskflow, const OrderSpec& order, const TaskWeights& weights,
                 const WorkerKinds& kinds);

}  // namespace a3sim
