#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/orders/order.h"

namespace a3sim {

// An operator of the graph as pools see it.
struct OperatorQueue {
  std::string name;
  CoreUnit unit;
  std::string type = {};  // as graphs call it: GroupedMatmul
};

// Whether an entry of a pool or a limit is a pattern of names (GMM*), and whether a name fits it: * stands for
// any characters, ? for one.
bool is_pattern(std::string_view entry);
bool fits(std::string_view name, std::string_view pattern);

// The operators, by OpId, that an entry of a pool or a limit means: that of this name, those whose names fit
// the pattern, or else those of this type. An entry that names an operator of another graph of the order
// (OrderSpec::elsewhere) means none of a graph that does not have it.
std::vector<std::size_t> operators_of(const std::string& entry, const OrderSpec& order,
                                      std::span<const OperatorQueue> operators);

// Which workers run which operators.
struct WorkerPlan {
  std::vector<WorkerSet> sets;
  std::vector<std::uint8_t> set_of;  // position in `sets`, by OpId
};

// Turns an order's pools and limits into sets of workers. Within each queue the pools take the first workers,
// in the order in which they stand; all operators without a pool share the rest. A pool whose operators are
// all of other graphs takes none. An operator with limit L (the smallest, if it has several) runs on the first L
// workers of its set (all of them if there are fewer), so no more than L of its tasks are in flight; these workers
// still run the other operators of the set. `kinds` says how many run tasks. Throws InputError where an
// entry means no operator of any graph, an operator stands in two pools, a pool mixes queues, pools take more workers
// than there are or leave none for the rest.
WorkerPlan assign_worker_sets(const OrderSpec& order, std::span<const OperatorQueue> operators,
                              const WorkerKinds& kinds);

}  // namespace a3sim
