#pragma once

#include <cstdint>
#include <string_view>

#include "models/graph/graph.h"

namespace a3sim {

// Returns a graph of `batches` micro-batches on the same weights. Operators and tensors of the first one keep
// their names; those of the others end in _b1, _b2, ... A micro-batch adds its weight gradients to the
// previous one's sums (sum_before_w1 is the previous sum_w1).
Graph in_batches(const Graph& graph, std::uint32_t batches);

// Returns the micro-batch of an operator, from its name.
std::uint32_t batch_of(std::string_view op);

}  // namespace a3sim
