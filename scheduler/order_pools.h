#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scheduler/order.h"

namespace a3sim {

// An operator of the graph as pools see it.
struct OperatorQueue {
  std::string name;
  QueueType queue;
};

// Which workers run which operators.
struct WorkerPlan {
  std::vector<WorkerSet> sets;
  std::vector<std::uint8_t> set_of;  // position in `sets`, by OpId
};

// Turns an order's pools and limits into sets of workers. Within each queue the pools take the first workers,
// in the order in which they stand; all operators without a pool share the rest. A pool whose operators are
// all of other graphs takes none. An operator with limit L runs on the first L workers of its set (all of
// them if there are fewer), so no more than L of its tasks are in flight; these workers still run the other
// operators of the set. `workers` counts the workers of the CTQ and of the VTQ. Throws InputError where an
// unknown operator is named, an operator stands in two pools, a pool mixes queues, pools take more workers
// than there are or leave none for the rest.
WorkerPlan assign_worker_sets(const OrderSpec& order, std::span<const OperatorQueue> operators,
                              const std::uint32_t (&workers)[kQueues]);

}  // namespace a3sim
