#pragma once

#include "models/graph/graph.h"
#include "sim/study/data/tensors.h"

namespace a3sim {

// What a graph computes when each operator runs whole, one after the other in topological order: no splits,
// tiles, shares or chunks, no schedule and no time. It shares the operators' arithmetic with the simulation,
// so it checks how work is split and ordered, not what an operator means. Returns the tensors that operators
// write.
Tensors run_whole(const Graph& graph, const RowLayout& layout, const std::vector<std::vector<SentRow>>& sent,
                  const Tensors& given);

}  // namespace a3sim
