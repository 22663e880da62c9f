#pragma once

#include "models/graph/graph.h"

// Graphs of the communication in expert parallelism: tokens to the ranks of their experts, and back.
namespace a3sim {

// How rows move between ranks.
enum class Exchange : std::uint8_t {
  kPuts,         // puts by AIVs of rows that Permute has gathered
  kCollectives,  // all-to-alls of the host, after an exchange of counts that the host reads
  // A kernel sends rows straight from the tokens into a window, and copies those that have arrived from it.
  kFused
};

struct ExpertParallelOptions {
  DataType dispatched = DataType::kBf16;  // or int8, with a scale behind each row
  Exchange exchange = Exchange::kPuts;
  std::uint32_t token_rows = 128;  // tokens per task that quantises or sums
  // Of int8: a row is quantised for each expert that it goes to, by this many tasks; 0: once a token, and copied.
  std::uint32_t row_quantizers = 0;
  bool pull =
      false;  // rows are quantised where they are, and ranks fetch their own once all have told that theirs are there
};

// Returns the graph from the tokens to the rows that experts read.
Graph dispatch_graph(const MoeShape& shape, const ExpertParallelOptions& options);
// Returns the graph from the experts' results, which have the shape's type, to the sum for each token.
Graph combine_graph(const MoeShape& shape, const ExpertParallelOptions& options);
// Returns the forward graph with int8 Dispatch and products, and Combine in the shape's type.
Graph int8_forward_graph(const MoeShape& shape, Exchange exchange, std::uint32_t token_rows = 128);

}  // namespace a3sim
