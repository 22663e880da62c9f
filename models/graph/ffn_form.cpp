#include "models/graph/ffn_form.h"

#include "models/graph/batches.h"
#include "models/graph/columns.h"
#include "models/graph/counts_exchange.h"

namespace a3sim {

Graph in_form(const Graph& graph, const MoeShape& shape, const FfnForm& form) {
  const bool counted = form.dispatch != RowExchange::kPush;
  const Graph exchanged = counted ? with_counts(graph, shape, form.dispatch == RowExchange::kPull) : graph;
  return in_batches(in_columns(exchanged, form.columns), form.batches);
}

}  // namespace a3sim
