#pragma once

#include "models/graph/graph.h"

namespace a3sim {

// Returns the graph with the product before each Combine, and all that follows it, cut into `columns` blocks
// of columns. Each block is computed, sent and summed by operators of its own (GMM2_c0, Combine_c0, GMM2_c1,
// ...) on weights and results of that width (expert_output_c0). Consumers wait for a block instead of whole
// rows. Throws InputError if the columns do not divide evenly.
Graph in_columns(const Graph& graph, std::uint32_t columns);

}  // namespace a3sim
