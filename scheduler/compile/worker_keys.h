#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduler/compile/task_weights.h"
#include "scheduler/orders/order_pools.h"

namespace a3sim {

// One entry per rank, then task: the index of its worker set in WorkerPlan::sets.
using TaskWorkers = std::vector<std::vector<std::uint8_t>>;

// Stands instead of an expression. List scheduling then chooses the workers (list_workers.h).
inline constexpr std::string_view kListed = "listed";

// Evaluates the expressions by which an order chooses workers (OrderSpec::workers). Each chosen worker
// becomes a set of its own, which is added to the plan. Tasks of other operators keep their operator's set.
// Returns an empty vector if the order has no such expressions. Throws InputError for an expression that
// selects no operator of any graph or that has no value, or a negative one, for a task, and if there would be
// more sets than a task descriptor can name.
TaskWorkers choose_workers(const TaskflowView& taskflow, const CompileOptions& options,
                           const TaskWeights& weights, WorkerPlan& plan);

}  // namespace a3sim
