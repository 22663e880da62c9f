#include "sim/compare/orders/jitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/compare/orders/order_comparison.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/core/statistics.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/run/compiled.h"
#include "version.h"

namespace a3sim {
namespace {

constexpr double kMilliseconds = 1e-9;  // milliseconds per picosecond

// A distribution of latencies, in picoseconds.
struct Distribution {
  double min, low, median, mean, high, max;
  double spread() const { return median > 0 ? (max - min) / median : 0; }
};

Distribution distribution_of(const std::vector<Duration>& times) {
  std::vector<double> numbers;
  for (const Duration time : times) numbers.push_back(static_cast<double>(time.count()));
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  return {quantile(numbers, 0),    quantile(numbers, 0.05),
          quantile(numbers, 0.5),  sum / static_cast<double>(numbers.size()),
          quantile(numbers, 0.95), quantile(numbers, 1)};
}

void add_distributions(Report& report, std::span<const JitteredOrder> orders,
                       const std::vector<Distribution>& distributions) {
  Table& table = report.table(
      "spread", {Column::words("order"), Column::milliseconds("as modelled ms", "modelled_ps"),
                 Column::milliseconds("min", "min_ps"), Column::milliseconds("5 %", "quantile_05_ps"),
                 Column::milliseconds("median", "median_ps"), Column::milliseconds("mean", "mean_ps"),
                 Column::milliseconds("95 %", "quantile_95_ps"), Column::milliseconds("max", "max_ps"),
                 Column::percent("max - min", "spread", 2), Column::count("fastest in", "fastest_in"),
                 Column::milliseconds("ranks' ends apart ms", "mean_ends_apart_ps")});
  for (std::size_t o = 0; o < orders.size(); ++o) {
    const Distribution& d = distributions[o];
    table.add({orders[o].name, orders[o].modelled, d.min, d.low, d.median, d.mean, d.high, d.max, d.spread(),
               whole(orders[o].fastest), distribution_of(orders[o].ends_apart).mean});
  }
}

void add_runs(Report& report, std::span<const JitteredOrder> orders) {
  Table& table = report.table(
      "each_run",
      {Column::data("order"), Column::data("run"), Column::data("total_ps"), Column::data("ends_apart_ps")},
      Audience::kPrograms);
  for (const JitteredOrder& order : orders) {
    for (std::size_t run = 0; run < order.totals.size(); ++run)
      table.add({order.name, whole(run), order.totals[run], order.ends_apart[run]});
  }
}

std::string best_order(std::span<const JitteredOrder> orders,
                       const std::vector<Distribution>& distributions) {
  std::vector<std::size_t> by_median(orders.size());
  std::iota(by_median.begin(), by_median.end(), std::size_t{0});
  std::ranges::stable_sort(by_median, {}, [&](std::size_t o) { return distributions[o].median; });
  const JitteredOrder& best = orders[by_median[0]];
  const Distribution& d = distributions[by_median[0]];
  if (orders.size() == 1) {
    const double shift = d.median / static_cast<double>(best.modelled.count()) - 1;
    return fmt::format(
        "The median is {:+.2f} % from what is modelled; nine runs of ten lie within {:.3f} and {:.3f} ms.\n",
        100 * shift, kMilliseconds * d.low, kMilliseconds * d.high);
  }
  return fmt::format(
      "{} has the smallest median, {:.2f} % below {}'s, and is the fastest in {} of {} runs.\n", best.name,
      100 * (1 - d.median / distributions[by_median[1]].median), orders[by_median[1]].name, best.fastest,
      best.totals.size());
}

// Says for which orders the modelled latency lies outside of the runs that it stands for.
std::string apart_text(std::span<const JitteredOrder> orders) {
  std::string text;
  for (const JitteredOrder& order : orders) {
    if (order.why_apart.empty()) continue;
    text += fmt::format(
        "{} as modelled ({} ms) is {} than every run: most of all because, compared with the median run, "
        "{}.\n",
        order.name, in_milliseconds(order.modelled), order.all_faster() ? "slower" : "faster",
        order.why_apart);
  }
  return text;
}

}  // namespace

void add_spread(Report& report, std::span<const JitteredOrder> orders) {
  std::vector<Distribution> distributions;
  for (const JitteredOrder& order : orders) distributions.push_back(distribution_of(order.totals));
  add_distributions(report, orders, distributions);
  add_runs(report, orders);
  report.say_on(best_order(orders, distributions), "spread_verdict");
  report.say_on(apart_text(orders), "modelled_apart");
}

Report spread_report(const Experiment& experiment, const JitterOptions& options, unsigned threads) {
  Variant variant{experiment, nullptr};
  prepare({&variant, 1}, threads);
  const std::vector<Evaluated> runs = evaluate({&variant, 1}, {.jitter = options, .threads = threads});
  Report report;
  report.fact("schema_version", 1).fact("a3sim", kVersion).fact("name", experiment.name);
  add_jitter(report, options);
  report.say(fmt::format("{} (a3sim {}), {} execution: how its latencies are distributed\n{}",
                         experiment.name, kVersion, experiment.work->execution(experiment),
                         jitter_note(options)));
  add_spread(report, spread_of({&variant, 1}, runs, options, threads));
  return report;
}

}  // namespace a3sim
