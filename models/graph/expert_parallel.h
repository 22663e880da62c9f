#pragma once

#include "models/graph/graph.h"

// Graphs of the communication in expert parallelism: tokens to the ranks of their experts, and back.
namespace a3sim {

// The way in which rows move between ranks.
enum class Exchange : std::uint8_t {
  kPuts,         // puts by AIVs of rows that Permute has gathered
  kCollectives,  // all-to-alls of the host, after an exchange of counts that the host reads
  // A kernel sends rows directly from the tokens into a window, and copies arrived rows out of it.
  kFused
};

struct ExpertParallelOptions {
  DataType dispatched = DataType::kBf16;  // or int8, with a scale after each row
  Exchange exchange = Exchange::kPuts;
  std::uint32_t token_rows = 128;  // tokens per task that quantises or sums
  // int8 only: the number of tasks that quantise a row for each expert that a token goes to. 0: a token is
  // quantised once and copied.
  std::uint32_t row_quantizers = 0;
  // Rows are quantised in place, and ranks fetch theirs once all ranks have signalled that their rows are
  // ready.
  bool pull = false;
};

// Returns the graph from the tokens to the rows that experts read.
Graph dispatch_graph(const MoeShape& shape, const ExpertParallelOptions& options);
// Returns the graph from the experts' results, which have the shape's type, to the sum for each token.
Graph combine_graph(const MoeShape& shape, const ExpertParallelOptions& options);
// Returns the forward graph with int8 Dispatch and products, and Combine in the shape's type.
Graph int8_forward_graph(const MoeShape& shape, Exchange exchange, std::uint32_t token_rows = 128);

}  // namespace a3sim
