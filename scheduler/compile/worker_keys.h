#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduler/compile/task_weights.h"
#include "scheduler/orders/order_pools.h"

namespace a3sim {

// The worker sets of tasks, by rank and task, as indices in WorkerPlan::sets.
using TaskWorkers = std::vector<std::vector<std::uint8_t>>;

// Instead of an expression: lists (list_workers.h).
inline constexpr std::string_view kListed = "listed";

// Evaluates the expressions by which an order chooses workers (OrderSpec::workers): each worker that one chooses is a
// set of its own, which is added to the plan. Tasks of other operators keep their operator's set. Returns nothing if the
// order has no such expressions. Throws InputError for one that selects no operator of any graph, that has no value for
// a task or a negative one, or if there would be more sets than a task descriptor can name.
TaskWorkers choose_workers(const TaskflowView& taskflow, const CompileOptions& options,
                           const TaskWeights& weights, WorkerPlan& plan);

}  // namespace a3sim
