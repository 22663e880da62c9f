#pragma once

#include "models/graph/graph.h"
#include "sim/core/config/config.h"

namespace a3sim {

// Builds the graph that a `graph` mapping describes (models/README.md shows one) from the registered
// operators. What is wrong is noted in the configuration's Diagnostics, all of it at once; the graph is then
// of no use.
//
//   name: text
//   tensors:    [{name, layout: plain|tokens|sent|received|weights, rows, cols, dtype}]
//               rows of plain tensors, and of one expert of weights; else they follow from the shape and its
//               routing. Sizes: a whole number, or one of tokens, hidden, intermediate, top_k, experts,
//               experts_per_rank, ep, with a factor before it if need be: 2*intermediate. The dtype is the
//               shape's where none is given. What no operator writes is external: given from outside.
//   operators:  [{name, type, inputs, outputs, transposed, tiling: {base_m, base_n, base_k, step_k},
//                 split: {inherit: default|none, rows}}]
//               rows: of a task; vector operators only.
Graph graph_from_config(const Config& config, const MoeShape& shape);

}  // namespace a3sim
