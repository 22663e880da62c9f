#include "sim/experiment/streams/methods/method.h"

#include <algorithm>
#include <cmath>

namespace a3sim {

MicroBatch::MicroBatch(const RoutingCounts& counts, const LoadHistory& history)
    : counts(counts), history(history), rows(counts.experts(), 0) {
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e) rows[e] += counts.at(src, e);
  }
}

std::vector<ExpertMove> moves_of(const MicroBatch& batch, const MethodOptions& options) {
  const std::vector<bool> dynamic = dynamic_experts(options.choose, batch.history, batch.rows,
                                                    batch.experts_per_rank(), options.balance.dyn);
  return balancing_moves({batch.rows, dynamic, batch.experts_per_rank()}, options.balance);
}

RowsByExpert rows_at(const MicroBatch& batch, std::uint32_t rank, const std::vector<bool>& elsewhere) {
  RowsByExpert rows;
  const std::uint32_t local = batch.experts_per_rank();
  for (std::uint32_t e = rank * local; e < (rank + 1) * local; ++e) {
    if (elsewhere.empty() || !elsewhere[e]) rows.push_back({e, batch.rows[e]});
  }
  return rows;
}

std::vector<std::uint32_t> experts_of(const MicroBatch& batch, const std::vector<bool>& left_out) {
  std::vector<std::uint32_t> experts;
  for (std::uint32_t e = 0; e < batch.counts.experts(); ++e) {
    if (left_out.empty() || !left_out[e]) experts.push_back(e);
  }
  return experts;
}

namespace {

// Returns how many of `tokens` have at least one of their `top_k` different experts on a rank that gets
// `share` of a source's rows. Experts are drawn one after another, and each leaves fewer to draw from.
// `alike` is the number of equally loaded experts that would repeat as often as the actual ones.
double tokens_to(double share, double tokens, double top_k, double alike) {
  double none = 1;
  for (double drawn = 0; drawn < top_k; ++drawn)
    none *= std::max(0.0, 1 - share * alike / std::max(1.0, alike - drawn));
  return tokens * (1 - none);
}

}  // namespace

ExchangedBytes dispatch_of(const MicroBatch& batch, const Layer& layer, const std::vector<bool>& left_out) {
  const double tokens = layer.shape().tokens;
  const std::uint32_t local = batch.experts_per_rank();
  ExchangedBytes exchange(batch.counts.ranks());
  for (std::uint32_t src = 0; src < batch.counts.ranks(); ++src) {
    double all = 0, squares = 0;
    for (const std::uint32_t rows : batch.counts.source(src)) {
      all += rows;
      squares += 1.0 * rows * rows;
    }
    if (all == 0) continue;
    for (std::uint32_t dst = 0; dst < batch.counts.ranks(); ++dst) {
      double rows = 0;
      for (std::uint32_t e = dst * local; e < (dst + 1) * local; ++e) {
        if (left_out.empty() || !left_out[e]) rows += batch.counts.at(src, e);
      }
      const bool once = layer.bulk().once_a_rank;
      const double sent =
          once ? tokens_to(rows / all, tokens, std::round(all / tokens), all * all / squares) : rows;
      exchange.at(src, dst) = sent * layer.row_bytes();
    }
  }
  return exchange;
}

}  // namespace a3sim
