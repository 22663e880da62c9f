#pragma once

#include "models/graph/graph.h"

namespace a3sim {

// Returns the graph with an exchange of counts (Counts, Counts_bwd) before each Dispatch: a rank sends a row of them to all
// others once its own rows are there, and no row moves before those of all ranks have come. With `pull` the ranks that need
// the rows then fetch them; without, their owners put them.
Graph with_counts(const Graph& graph, const MoeShape& shape, bool pull);

}  // namespace a3sim
