#pragma once

#include "models/graph/graph.h"

namespace a3sim {

// Returns the graph with an exchange of counts (Counts, Counts_bwd) before each Dispatch: a rank sends a row
// of counts to all others once its own rows are ready, and rows move only when the counts of all ranks have
// arrived. With `pull` the ranks that need the rows fetch them; otherwise their owners put them.
Graph with_counts(const Graph& graph, const MoeShape& shape, bool pull);

}  // namespace a3sim
