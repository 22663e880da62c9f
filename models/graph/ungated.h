#pragma once

#include "models/graph/graph.h"

namespace a3sim {

// Return the graphs of experts without a gate: a product of the width of one expert, the square of ReLU, and the product back.
Graph ungated_forward_graph(const MoeShape& shape, Window window);
Graph ungated_backward_graph(const MoeShape& shape, Window window,
                             WeightGradients then = WeightGradients::kNone);

}  // namespace a3sim
