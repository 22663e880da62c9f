#pragma once

#include <span>

#include "models/graph/row_form.h"

namespace a3sim {

// Returns the graph with other movers of rows. Of several entries that fit an operator, the last one counts.
// `copy_engine` takes the puts of Dispatch, DispatchOnce, Combine and CombineOnce. `product` makes one operator
// of a Combine and of the product whose rows it sends. Throws InputError for an entry that fits no operator
// that moves rows, and for a mover that cannot move those of one.
Graph with_movers(const Graph& graph, std::span<const MoverChoice> movers);

}  // namespace a3sim
