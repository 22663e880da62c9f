#pragma once

#include <optional>

#include "models/graph/graph.h"
#include "models/graph/size_expression.h"
#include "sim/core/config/config.h"

namespace a3sim {

// A graph of plain operators, without a model around it.
struct PlainGraph {
  Graph graph;
  // Its ranks and types; with experts also their number and rows, as if each row were a token of one expert.
  MoeShape shape;
};

// Builds what a `graph` mapping describes that has sizes of its own. Notes all errors in the configuration's
// Diagnostics, as graph_from_config() does, which says what the mapping has. Here it may also have:
//
//   ranks:    ranks of the group (default: 1), which exchange rows by AllGather and AllToAll
//   dtype:    the type of tensors that state none (default: bf16)
//   experts:  experts that share rows laid out `received` (default: none). These state their rows, those of all
//             experts together, and `weights` those of one expert. Without experts both are plain.
PlainGraph plain_graph_from_config(const Config& config, const SizeSymbols& workers);

// Returns the graph for operators that run one after the other, or whose rows the host's collective moves. Products and
// puts are not cut into tiles, and pass none on. With `workers`, elementwise operators are cut into so many equal slabs.
Graph without_tiles(const Graph& graph, std::optional<std::uint32_t> workers);

}  // namespace a3sim
