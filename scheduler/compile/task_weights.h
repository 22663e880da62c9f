#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/taskflow/row_layout.h"
#include "scheduler/compile/compile.h"
#include "scheduler/orders/order_keys.h"
#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Whether a key of the order has this attribute in it.
bool mentions(const OrderSpec& order, std::string_view name);

// What the descriptors do not hold of the attributes that orders sort by. Those that an order does not
// mention are not computed, and 0.
class TaskWeights {
 public:
  struct Values {
    // Read and written once; of a put what it sends, of a matrix task its operands and its blocks.
    double bytes = 0;
    double flops = 0;               // two a multiply-accumulate; vector tasks: one an element and instruction
    double depth = 0;               // tasks on the longest chain of events that leads here
    double path = 0;                // picoseconds from its start to the last end behind it, at the path rates
    double rows = 0;                // that it makes; of gradients of weights, that they are summed over
    double distance = 0, node = 0;  // between its two ranks; of the one that rows go to (Placement)
  };

  // `options` have the order, the rates and the placement. Throws InputError if the order mentions `path` and
  // a rate is not positive.
  TaskWeights(const TaskflowView& taskflow, const RowLayout& layout, const CompileOptions& options);

  Values of(std::uint32_t rank, std::uint32_t task) const {
    return values_.empty() ? Values{} : values_[rank][task];
  }

 private:
  void weigh_work(const TaskflowView& taskflow, const RowLayout& layout, const PathRates& rates, bool path);

  std::vector<std::vector<Values>> values_;  // by rank and task; empty where the order mentions none
};

// A task as sort keys see it.
Attributes attributes_of(const TaskflowView& taskflow, const TaskWeights& weights, std::uint32_t rank,
                         std::uint32_t task);

}  // namespace a3sim
