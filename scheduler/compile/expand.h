#pragma once

#include "scheduler/compile/compile.h"
#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Makes the tasks of every rank, without events: operators in topological order, tiles in order. `layout`
// holds the bucket's capacities. `kept` is the number of ranks that represent all (turns.h), or 0 for all
// ranks; they begin with rank `first`. Throws InputError if the graph has too many operators for a task descriptor.
Taskflow expand(const Graph& graph, const Splits& splits, const RowLayout& layout, const CutOptions& cut,
                std::uint32_t kept = 0, std::uint32_t first = 0);

}  // namespace a3sim
