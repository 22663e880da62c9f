#pragma once

#include "scheduler/compile.h"
#include "scheduler/taskflow_view.h"

namespace a3sim {

// The tasks of every rank, operators in topological order, tiles in order, without events. `layout` holds the
// bucket's capacities. Throws InputError if the graph has too many operators for a task descriptor.
Taskflow expand(const Graph& graph, const Splits& splits, const RowLayout& layout, const CutOptions& cut);

}  // namespace a3sim
