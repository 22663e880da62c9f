#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/study/calibration/sensitivity.h"
#include "sim/study/explore/jitter.h"
#include "sim/study/summary/report.h"
#include "traces/report/table.h"
#include "version.h"

namespace a3sim {
namespace {

// In picoseconds.
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

std::string in_ms(double picoseconds) { return fmt::format("{:.3f}", picoseconds * 1e-9); }

std::string distributions_table(std::span<const JitteredOrder> orders) {
  Table table({"order", "as modelled ms", "min", "5 %", "median", "mean", "95 %", "max", "max - min",
               "fastest in", "ranks' ends apart ms"});
  for (const JitteredOrder& order : orders) {
    const Distribution d = distribution_of(order.totals);
    table.add({order.name, in_milliseconds(order.modelled), in_ms(d.min), in_ms(d.low), in_ms(d.median),
               in_ms(d.mean), in_ms(d.high), in_ms(d.max), fmt::format("{:.2f} %", 100 * d.spread()),
               fmt::format("{}", order.fastest), in_ms(distribution_of(order.ends_apart).mean)});
  }
  return table.text();
}

constexpr std::size_t kBins = 12, kBar = 20;

// How many of an order's latencies lie in each of the bins between the least and the most of all orders.
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
    for (const std::vector<std::size_t>& of : bins) {
      const std::string bar((of[bin] * kBar + longest - 1) / longest, '#');
      text += fmt::format("  {:<{}}", of[bin] ? fmt::format("{} {}", bar, of[bin]) : "", kBar + 5);
    }
  }
  while (text.back() == ' ') text.pop_back();
  return text + '\n';
}

std::string verdict(std::span<const JitteredOrder> orders, const JitterOptions& options) {
  const auto median = [](const JitteredOrder& order) { return distribution_of(order.totals).median; };
  const JitteredOrder& best = *std::ranges::min_element(orders, {}, median);
  if (orders.size() == 1) {
    const Distribution d = distribution_of(best.totals);
    return fmt::format(
        "The median is {:+.2f} % from what is modelled; nine runs of ten lie within {} and {} ms.\n",
        100 * (d.median / static_cast<double>(best.modelled.count()) - 1), in_ms(d.low), in_ms(d.high));
  }
  const JitteredOrder* second = nullptr;
  for (const JitteredOrder& order : orders) {
    if (&order != &best && (!second || median(order) < median(*second))) second = &order;
  }
  return fmt::format(
      "{} has the smallest median, {:.2f} % below {}'s, and is the fastest in {} of {} runs.\n", best.name,
      100 * (1 - median(best) / median(*second)), second->name, best.fastest, options.runs);
}

}  // namespace

std::string jitter_text(const Experiment& experiment, std::span<const JitteredOrder> orders,
                        const JitterOptions& options) {
  return fmt::format(
             "{} (a3sim {}), {} execution: latency of all passes over {} runs, seed {}\n"
             "each task's own time within {:.4g} %, rates of memory and links of a run within {:.4g} %\n\n",
             experiment.name, kVersion, experiment.run.execution, options.runs, options.seed,
             100 * options.durations, 100 * options.rates) +
         distributions_table(orders) + '\n' + histogram(orders) + '\n' + verdict(orders, options);
}

nlohmann::ordered_json jitter_json(const Experiment& experiment, std::span<const JitteredOrder> orders,
                                   const JitterOptions& options) {
  nlohmann::ordered_json json{{"schema_version", 1},         {"a3sim", kVersion},
                              {"name", experiment.name},     {"runs", options.runs},
                              {"seed", options.seed},        {"duration_spread", options.durations},
                              {"rate_spread", options.rates}};
  for (const JitteredOrder& order : orders) {
    const Distribution d = distribution_of(order.totals);
    nlohmann::ordered_json item{{"order", order.name},
                                {"modelled_ps", order.modelled.count()},
                                {"min_ps", d.min},
                                {"quantile_05_ps", d.low},
                                {"median_ps", d.median},
                                {"mean_ps", d.mean},
                                {"quantile_95_ps", d.high},
                                {"max_ps", d.max},
                                {"fastest_in", order.fastest}};
    for (const Duration total : order.totals) item["totals_ps"].push_back(total.count());
    for (const Duration apart : order.ends_apart) item["ends_apart_ps"].push_back(apart.count());
    json["orders"].push_back(std::move(item));
  }
  return json;
}

}  // namespace a3sim
