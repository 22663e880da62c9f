#include "models/graph/ffn_form.h"

#include "models/graph/batches.h"
#include "models/graph/columns.h"
#include "models/graph/counts_exchange.h"
#include "models/graph/row_form.h"
#include "models/graph/rows_once.h"
#include "models/graph/with_movers.h"

namespace a3sim {

Graph in_form(const Graph& graph, const MoeShape& shape, const FfnForm& form) {
  return in_form(graph, shape, form, {});
}

Graph in_form(const Graph& graph, const MoeShape& shape, const FfnForm& form, const RowForm& rows) {
  const bool counted = form.dispatch != RowExchange::kPush;
  const Graph crossed =
      rows.rows == RowCrossing::kByExpert ? graph : with_rows_once(graph, rows.rows == RowCrossing::kOnce);
  const Graph exchanged =
      counted ? with_counts(crossed, shape, form.dispatch == RowExchange::kPull) : crossed;
  return in_batches(with_movers(in_columns(exchanged, form.columns), rows.movers), form.batches);
}

}  // namespace a3sim
