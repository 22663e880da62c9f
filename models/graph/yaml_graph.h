#pragma once

#include <optional>

#include "models/graph/graph.h"
#include "models/graph/size_expression.h"
#include "sim/core/config/config.h"

namespace a3sim {

// The sizes and types that tensors of a graph may use.
struct GraphScope {
  SizeSymbols sizes;                 // that expressions may name, in addition to the graph's own
  DataType dtype = DataType::kBf16;  // of tensors that state none
  // Experts that share received rows. Nullopt: the routing of a model says what is received and sent.
  std::optional<std::uint32_t> experts;
};

// Returns the scope of a model: its sizes, tokens to ep, and its type.
GraphScope scope_of(const MoeShape& shape);

// Builds the graph that a `graph` mapping describes (models/README.md shows one) from the registered
// operators. Notes all errors in the configuration's Diagnostics; the graph is then unusable.
//
//   name: text
//   sizes:      {name: whole number}, which expressions may use, in addition to the scope's
//   out:        the type of results that state none: tensors that operators write and none reads
//   tensors:    [{name, layout: plain|tokens|sent|received|weights, rows, cols, dtype}]
//               rows: of plain tensors, and of one expert of weights; otherwise they follow from the shape and its
//               routing. A size is an expression (size_expression.h), such as 2*intermediate or m/ranks. A tensor that
//               no operator writes is external.
//   operators:  [{name, type, inputs, outputs, transposed,
//                 split: {inherit: default|none, rows, shares}, holds: [{tensors, shift}]}]
//               holds: tensors whose rows must be written before a task starts, though it does not read them: of a
//               received tensor those of the task's expert, or of the one `shift` experts further.
//               rows: per task, an expression too; vector operators only.
Graph graph_from_config(const Config& config, GraphScope scope);

}  // namespace a3sim
