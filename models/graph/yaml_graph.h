#pragma once

#include "models/graph/graph.h"
#include "sim/core/config/config.h"

namespace a3sim {

// Builds the graph that a `graph` mapping describes (models/README.md shows one) from the registered
// operators. Notes all errors in the configuration's Diagnostics; the graph is then unusable.
//
//   name: text
//   tensors:    [{name, layout: plain|tokens|sent|received|weights, rows, cols, dtype}]
//               rows: of plain tensors, and of one expert of weights; otherwise they follow from the shape and its
//               routing. A size is a whole number, or one of tokens, hidden, intermediate, top_k, experts,
//               experts_per_rank, ep, with an optional factor before it: 2*intermediate. The default dtype is the
//               shape's. A tensor that no operator writes is external.
//   operators:  [{name, type, inputs, outputs, transposed, tiling: {base_m, base_n, base_k, step_k},
//                 split: {inherit: default|none, rows}, holds: [{tensors, shift}]}]
//               holds: tensors whose rows must be written before a task starts, though it does not read them: of a
//               received tensor those of the task's expert, or of the one `shift` experts further.
//               rows: per task; vector operators only.
Graph graph_from_config(const Config& config, const MoeShape& shape);

}  // namespace a3sim
