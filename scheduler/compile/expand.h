#pragma once

#include "scheduler/compile/compile.h"
#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// The tasks of every rank, operators in topological order, tiles in order, without events. `layout` holds the
// bucket's capacities. Throws InputError if the graph has too many operators for a task descriptor.
// `kept`: ranks that stand for all (turns.h); 0: every rank for itself.
Taskflow expand(const Graph& graph, const Splits& splits, const RowLayout& layout, const CutOptions& cut,
                std::uint32_t kept = 0);

}  // namespace a3sim
