#pragma once

#include "models/graph/graph.h"

namespace a3sim {

// Returns the graph of a MoE-FFN in which a row crosses the links once to each rank that has experts of its
// token: Dispatch becomes DispatchOnce and Spread. With `sums`, so does Combine: each rank adds up a token's
// rows (SumExperts), and the sum crosses the links once on its way home (CombineOnce). The router's weights are
// applied where a token's rows part or meet: backward by Spread, forward by SumExperts.
Graph with_rows_once(const Graph& graph, bool sums);

}  // namespace a3sim
