#include "sim/study/explore/jitter.h"

#include <algorithm>

#include "sim/core/parallel.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/order_file.h"
#include "sim/study/explore/order_comparison.h"

namespace a3sim {
namespace {

Duration apart(const RunResult& run) {
  const auto [first, last] = std::ranges::minmax(run.ranks, {}, &RankResult::end);
  return last.end - first.end;
}

// Runs in which nobody was faster count for all who were as fast.
void count_fastest(std::vector<JitteredOrder>& orders, std::uint32_t runs) {
  for (std::uint32_t run = 0; run < runs; ++run) {
    Duration best = Duration::max();
    for (const JitteredOrder& order : orders) best = std::min(best, order.totals[run]);
    for (JitteredOrder& order : orders) order.fastest += order.totals[run] == best;
  }
}

// "tasks of GMM1 in forward lose 0.1 ms more to L2 misses …", of the modelled run.
std::string why_apart(const Experiment& experiment, const Compiled& compiled, const JitteredOrder& order,
                      const JitterOptions& options) {
  const Duration median = median_of(order.totals);
  const auto nearest = std::ranges::min_element(
      order.totals, {}, [&](Duration total) { return std::chrono::abs(total - median); });
  const auto run = static_cast<std::uint32_t>(nearest - order.totals.begin());
  const OrderComparison runs = modelled_beside(experiment, compiled, options, run);
  const double sign = order.all_faster() ? 1 : -1;
  return std::ranges::max(latency_reasons(experiment, runs, runs.orders.back()), {},
                          [&](const LatencyReason& reason) { return sign * reason.seconds; })
      .text;
}

}  // namespace

std::vector<JitteredOrder> jitter(const Experiment& experiment, std::span<const OrderSpec> orders,
                                  const JitterOptions& options, unsigned threads) {
  std::vector<Experiment> under(orders.size());
  std::vector<Compiled> compiled(orders.size());
  std::vector<JitteredOrder> result(orders.size());
  in_parallel(orders.size(), threads, [&](std::size_t o) {
    under[o] = with_order(experiment, orders[o]);
    compiled[o] = compile_all(under[o]);
  });
  for (std::size_t o = 0; o < orders.size(); ++o) {
    result[o].name = orders[o].name;
    result[o].totals.resize(options.runs);
    result[o].ends_apart.resize(options.runs);
  }
  const std::size_t each = std::size_t{options.runs} + 1;
  in_parallel(each * orders.size(), threads, [&](std::size_t i) {
    const std::size_t o = i / each;
    const auto run = static_cast<std::uint32_t>(i % each);
    if (run == options.runs) {
      result[o].modelled = jittered_total(under[o], compiled[o], JitterOptions::none(), 0);
      return;
    }
    for (std::size_t p = 0; p < compiled[o].passes.size(); ++p) {
      const RunResult of = run_jittered(under[o], compiled[o], p, options, run, false);
      result[o].totals[run] += of.makespan;
      result[o].ends_apart[run] += apart(of);
    }
  });
  count_fastest(result, options.runs);
  in_parallel(orders.size(), threads, [&](std::size_t o) {
    if (result[o].all_faster() || result[o].all_slower())
      result[o].why_apart = why_apart(under[o], compiled[o], result[o], options);
  });
  return result;
}

}  // namespace a3sim
