#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/taskflow/row_layout.h"
#include "scheduler/compile/compile.h"
#include "scheduler/orders/order_keys.h"
#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Returns whether the order's keys, or its expressions that choose workers, mention this attribute.
bool mentions(const OrderSpec& order, std::string_view name);

// Computes the attributes for sort keys that descriptors do not hold. Attributes that an order does not
// mention are 0.
class TaskWeights {
 public:
  struct Values {
    // Bytes read and written, each counted once: of a put, what it sends; of a matrix task, its operands and
    // its blocks.
    double bytes = 0;
    double flops = 0;  // two per multiply-accumulate; vector tasks: one per element and instruction
    double depth = 0;  // number of tasks on the longest chain of events before it
    double path = 0;   // ps from its start to the end of the longest chain after it, at the path rates
    double rows = 0;   // rows that it makes; for weight gradients: rows that they sum
    double block = 0;  // number of its first base block, counted through the operator
    double distance = 0, node = 0;  // distance between its two ranks; node of its destination (Placement)
  };

  // `options` holds the order, the rates and the placement. Throws InputError if the order mentions `path`
  // and a rate is not positive.
  TaskWeights(const TaskflowView& taskflow, const RowLayout& layout, const CompileOptions& options);

  Values values(std::uint32_t rank, std::uint32_t task) const {
    return values_.empty() ? Values{} : values_[rank][task];
  }

 private:
  static void count_blocks(const TaskflowView& taskflow, const TaskflowView::Rank& rank,
                           std::vector<Values>& values);
  void weigh_work(const TaskflowView& taskflow, const RowLayout& layout, const PathRates& rates, bool path);

  // One entry per rank, then task. Empty if the order mentions none.
  std::vector<std::vector<Values>> values_;
};

// Returns all attributes of a task.
Attributes attributes_of(const TaskflowView& taskflow, const TaskWeights& weights, std::uint32_t rank,
                         std::uint32_t task);

}  // namespace a3sim
