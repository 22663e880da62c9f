#include "sim/variation/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

template <class Amount>
MedianInterval paired(const Latencies& a, const Latencies& b, const Amount& amount) {
  std::vector<double> numbers;
  for (std::size_t run = 0; run < std::min(a.size(), b.size()); ++run)
    numbers.push_back(amount(static_cast<double>(a[run].count()), static_cast<double>(b[run].count())));
  return median_interval(std::move(numbers));
}

std::string interval(const MedianInterval& interval, double unit, int decimals, const char* suffix) {
  if (interval.low == interval.high) return "";
  return fmt::format("{:+.{}f}..{:+.{}f}{}{}", interval.low * unit, decimals, interval.high * unit, decimals,
                     suffix, interval.clear() ? "" : ", noise");
}

}  // namespace

Duration median_of(const Latencies& latencies) {
  std::vector<double> numbers;
  for (const Duration latency : latencies) numbers.push_back(static_cast<double>(latency.count()));
  return Duration(std::llround(quantile(std::move(numbers), 0.5)));
}

MedianInterval difference_between(const Latencies& a, const Latencies& b) {
  return paired(a, b, [](double x, double y) { return x - y; });
}

MedianInterval relative_difference(const Latencies& a, const Latencies& b) {
  return paired(a, b, [](double x, double y) { return y > 0 ? x / y - 1 : 0; });
}

std::string interval_in_percent(const MedianInterval& median_interval) {
  return interval(median_interval, 100, 2, " %");
}
std::string interval_in_milliseconds(const MedianInterval& median_interval) {
  return interval(median_interval, 1e-9, 3, "");
}

std::string jitter_note(const JitterOptions& options) {
  if (options.runs == 0)
    return "one run of each, without jitter: small differences may be chance ('a3sim try --spread' says how "
           "small)\n";
  return fmt::format(
      "medians of {} runs with random task times (within {:.4g} %) and rates (within {:.4g} %), the same "
      "draws "
      "for all;\n95 %: where the median difference lies; noise: not significant\n",
      options.runs, 100 * options.durations, 100 * options.rates);
}

void add_jitter(Report& report, const JitterOptions& options) {
  report.fact("jitter.runs", options.runs).fact("jitter.seed", whole(options.seed));
  report.fact("jitter.duration_spread", options.durations).fact("jitter.rate_spread", options.rates);
}

}  // namespace a3sim
