#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/orders/order.h"

namespace a3sim {

// An operator of the graph, with what pools need to know of it.
struct OperatorQueue {
  std::string name;
  CoreUnit unit;
  std::string type = {};  // its type's name in graphs, such as GroupedMatmul
};

// is_pattern() returns whether an entry of a pool or a limit is a pattern of names (GMM*). fits() returns
// whether a name matches it: * matches any characters, ? matches one.
bool is_pattern(std::string_view entry);
bool fits(std::string_view name, std::string_view pattern);

// Returns the operators, by OpId, that an entry of a pool or a limit selects: the one of this name, those
// whose names match the pattern, or else those of this type. Returns none for an operator of another graph
// (OrderSpec::elsewhere).
std::vector<std::size_t> operators_of(const std::string& entry, const OrderSpec& order,
                                      std::span<const OperatorQueue> operators);

// Says which workers run which operators.
struct WorkerPlan {
  std::vector<WorkerSet> sets;
  std::vector<std::uint8_t> set_of;  // one entry per operator, by OpId: the index of its set in `sets`
};

// Turns an order's pools and limits into sets of workers. In each queue, pools take the first workers in the
// order in which they are listed, and all operators without a pool share the rest. A pool takes no workers if
// all its operators belong to other graphs. An operator with limit L (the smallest, if several apply) runs on
// the first L workers of its set, so at most L of its tasks are in flight; these workers also run the other
// operators of the set. `kinds` says how many workers run tasks. Throws InputError if an entry selects no
// operator of any graph, an operator is in two pools, a pool mixes queues, or pools take more workers than
// there are or leave none for the rest.
WorkerPlan assign_worker_sets(const OrderSpec& order, std::span<const OperatorQueue> operators,
                              const WorkerKinds& kinds);

}  // namespace a3sim
