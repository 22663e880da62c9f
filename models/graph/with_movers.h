#pragma once

#include <span>
#include <string_view>

#include "models/graph/row_form.h"

namespace a3sim {

// Returns whether an entry fits an operator's name: * matches any characters.
bool fits(const MoverChoice& choice, std::string_view name);

// Returns the graph with other movers of rows. Of several entries that fit an operator, the last one counts.
// `copy_engine` takes the puts of Dispatch, DispatchOnce, Combine and CombineOnce. `product` makes one operator
// of a Combine and of the product whose rows it sends. Throws InputError for an entry that fits an operator
// that moves no rows, and for a mover that cannot move those of one. An entry that fits none may be the other pass's. An entry that fits no operator changes nothing: it may name operators of the other pass.
Graph with_movers(const Graph& graph, std::span<const MoverChoice> movers);

}  // namespace a3sim
