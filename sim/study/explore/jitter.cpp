#include "sim/study/explore/jitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/core/statistics.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/order_file.h"
#include "sim/study/explore/order_comparison.h"
#include "version.h"

namespace a3sim {
namespace {

// Counts for each order the runs in which no other was faster. Ties count for all.
void count_fastest(std::vector<JitteredOrder>& orders, std::uint32_t runs) {
  for (std::uint32_t run = 0; run < runs; ++run) {
    Duration best = Duration::max();
    for (const JitteredOrder& order : orders) best = std::min(best, order.totals[run]);
    for (JitteredOrder& order : orders) order.fastest += order.totals[run] == best;
  }
}

// Returns "tasks of GMM1 in forward lose 0.1 ms more to L2 misses …", compared with the modelled run.
std::string why_apart(const Variant& variant, const JitteredOrder& order, const JitterOptions& options) {
  const Duration median = median_of(order.totals);
  const auto nearest = std::ranges::min_element(
      order.totals, {}, [&](Duration total) { return std::chrono::abs(total - median); });
  const auto run = static_cast<std::uint32_t>(nearest - order.totals.begin());
  const OrderComparison runs = modelled_beside(variant, options, run);
  const double sign = order.all_faster() ? 1 : -1;
  return std::ranges::max(latency_reasons(variant.experiment, runs, runs.orders.back()), {},
                          [&](const LatencyReason& reason) { return sign * reason.seconds; })
      .text;
}

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

void add_orders(Report& report, std::span<const JitteredOrder> orders,
                const std::vector<Distribution>& distributions) {
  Table& table = report.table(
      "orders", {Column::words("order"), Column::milliseconds("as modelled ms", "modelled_ps"),
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
      Seen::kByPrograms);
  for (const JitteredOrder& order : orders) {
    for (std::size_t run = 0; run < order.totals.size(); ++run)
      table.add({order.name, whole(run), order.totals[run], order.ends_apart[run]});
  }
}

constexpr std::size_t kBins = 12, kBar = 20;

// Counts an order's latencies in each of the bins between the least and the most of all orders.
std::vector<std::size_t> histogram_of(const JitteredOrder& order, Duration least, Duration most) {
  std::vector<std::size_t> bins(kBins, 0);
  const double width = static_cast<double>((most - least).count()) / kBins;
  for (const Duration total : order.totals) {
    const auto bin = static_cast<std::size_t>(static_cast<double>((total - least).count()) / width);
    ++bins[std::min(bin, kBins - 1)];
  }
  return bins;
}

std::string histogram(std::span<const JitteredOrder> orders) {
  Duration least = Duration::max(), most{};
  for (const JitteredOrder& order : orders) {
    const auto [low, high] = std::ranges::minmax(order.totals);
    least = std::min(least, low);
    most = std::max(most, high);
  }
  if (least == most) return {};
  std::vector<std::vector<std::size_t>> bins;
  std::size_t longest = 1;
  for (const JitteredOrder& order : orders) {
    bins.push_back(histogram_of(order, least, most));
    longest = std::max(longest, std::ranges::max(bins.back()));
  }
  std::string text = fmt::format("{:>18}", "runs, by ms");
  for (const JitteredOrder& order : orders) text += fmt::format("  {:<{}}", order.name, kBar + 5);
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    while (text.back() == ' ') text.pop_back();
    const auto edge = [&](std::size_t i) { return in_milliseconds(least + (most - least) * i / kBins); };
    text += fmt::format("\n{:>8}..{:>8}", edge(bin), edge(bin + 1));
    for (const std::vector<std::size_t>& numbers : bins) {
      const std::string bar((numbers[bin] * kBar + longest - 1) / longest, '#');
      text += fmt::format("  {:<{}}", numbers[bin] ? fmt::format("{} {}", bar, numbers[bin]) : "", kBar + 5);
    }
  }
  while (text.back() == ' ') text.pop_back();
  return text + '\n';
}

std::string best_order(std::span<const JitteredOrder> orders, const std::vector<Distribution>& distributions,
                       const JitterOptions& options) {
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
      options.runs);
}

// Says for which orders the modelled latency lies outside of the runs that it stands for.
std::string apart_text(std::span<const JitteredOrder> orders) {
  std::string text;
  for (const JitteredOrder& order : orders) {
    if (order.why_apart.empty()) continue;
    text += fmt::format(
        "{} as modelled ({} ms) is {} than every run: most of all because, beside the median one, {}.\n",
        order.name, in_milliseconds(order.modelled), order.all_faster() ? "slower" : "faster",
        order.why_apart);
  }
  return text;
}

}  // namespace

std::vector<JitteredOrder> jitter(const Experiment& experiment, std::span<const OrderSpec> orders,
                                  const JitterOptions& options, unsigned threads) {
  if (const std::string why = experiment.work->why_no_schedules(); !orders.empty() && !why.empty())
    throw InputError(experiment.name + ": an order is one of schedules, and " + why);
  std::vector<Variant> variants;
  for (const OrderSpec& order : orders) variants.push_back({with_order(experiment, order), nullptr});
  if (orders.empty()) variants.push_back({experiment, nullptr});
  prepare(variants, threads);
  const auto modelled =
      evaluate(variants, {.jitter = JitterOptions::none(), .threads = threads, .one_machine = true});
  const auto runs = evaluate(variants, {.jitter = options, .threads = threads, .one_machine = true});
  std::vector<JitteredOrder> result(variants.size());
  for (std::size_t o = 0; o < variants.size(); ++o) {
    result[o].name = variants[o].experiment.work->label(variants[o].experiment);
    result[o].modelled = modelled[o].totals().front();
    result[o].totals = runs[o].totals();
    result[o].ends_apart = runs[o].ends_apart();
  }
  count_fastest(result, options.runs);
  in_parallel(variants.size(), threads, [&](std::size_t o) {
    if (variants[o].work->schedules() && (result[o].all_faster() || result[o].all_slower()))
      result[o].why_apart = why_apart(variants[o], result[o], options);
  });
  return result;
}

Report jitter_report(const Experiment& experiment, std::span<const JitteredOrder> orders,
                     const JitterOptions& options) {
  std::vector<Distribution> distributions;
  for (const JitteredOrder& order : orders) distributions.push_back(distribution_of(order.totals));
  Report report;
  report.fact("schema_version", 1).fact("a3sim", kVersion).fact("name", experiment.name);
  report.fact("runs", options.runs).fact("seed", whole(options.seed));
  report.fact("duration_spread", options.durations).fact("rate_spread", options.rates);
  report.say(fmt::format(
      "{} (a3sim {}), {} execution: latency of all passes over {} runs, seed {}\n"
      "each task's own time within {:.4g} %, rates of memory and links of a run within {:.4g} %\n",
      experiment.name, kVersion, experiment.work->execution(experiment), options.runs, options.seed,
      100 * options.durations, 100 * options.rates));
  add_orders(report, orders, distributions);
  add_runs(report, orders);
  report.say(histogram(orders));
  report.say(best_order(orders, distributions, options), "verdict");
  report.say_on(apart_text(orders), "modelled_apart");
  return report;
}

}  // namespace a3sim
