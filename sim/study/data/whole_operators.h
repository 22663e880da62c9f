#pragma once

#include "sim/study/data/data_case.h"

namespace a3sim {

// What a graph computes when each operator runs whole, one after the other in topological order: no splits,
// tiles, shares or chunks, no schedule and no time. It shares the operators' arithmetic with the simulation,
// so it checks how work is split and ordered, not what an operator means. Returns the tensors that operators
// write; `known` has those that they only read.
Tensors run_whole(const DataCase& of, const Graph& graph, const Tensors& known);

}  // namespace a3sim
