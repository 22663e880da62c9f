#pragma once

#include "models/graph/graph.h"

// Graphs of what expert parallelism adds to a layer: tokens to the ranks of their experts, and back.
namespace a3sim {

// Who moves the rows.
enum class Exchange : std::uint8_t {
  kPuts,         // puts of the AIVs, of rows that Permute has gathered
  kCollectives,  // the same rows by all-to-alls of the host; before them the counts, which the host reads
  kFused  // a kernel that sends straight from the tokens into a window, and copies what has come from there
};

struct ExpertParallelOptions {
  DataType dispatched = DataType::kBf16;  // or int8, with a scale behind each row
  Exchange exchange = Exchange::kPuts;
  std::uint32_t token_rows = 128;  // tokens of a task that quantises or adds up
};

// From the tokens to the rows as the experts read them.
Graph dispatch_graph(const MoeShape& shape, const ExpertParallelOptions& options);
// From the experts' rows, which are of the shape's type, to the sum of each token's.
Graph combine_graph(const MoeShape& shape, const ExpertParallelOptions& options);
// Dispatch in int8, products of int8, and Combine in the shape's type.
Graph int8_forward_graph(const MoeShape& shape, Exchange exchange, std::uint32_t token_rows = 128);

}  // namespace a3sim
