#include "sim/study/explore/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/rng.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/explore/machine_part.h"

namespace a3sim {
namespace {

// The output function of SplitMix64 (Steele, Lea, Flood 2014): neighbouring numbers become unrelated ones.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t mixed(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t state = 0;
  for (const std::uint64_t number : numbers) state = mixed(state + 0x9e3779b97f4a7c15 + mixed(number));
  return state;
}

double factor(std::uint64_t seed, double spread) { return 1 + spread * (2 * Rng(seed).uniform() - 1); }

enum What : std::uint64_t { kTask, kRate };  // is drawn

template <class Amount>
MedianInterval paired(const Latencies& a, const Latencies& b, const Amount& amount) {
  std::vector<double> numbers;
  for (std::size_t run = 0; run < a.size(); ++run)
    numbers.push_back(amount(static_cast<double>(a[run].count()), static_cast<double>(b[run].count())));
  return median_interval(std::move(numbers));
}

std::string interval(const MedianInterval& of, double unit, int decimals, const char* suffix) {
  if (of.low == of.high) return "";
  return fmt::format("{:+.{}f}..{:+.{}f}{}{}", of.low * unit, decimals, of.high * unit, decimals, suffix,
                     of.clear() ? "" : ", noise");
}

}  // namespace

TaskJitter::TaskJitter(const Schedule& schedule, const JitterOptions& options, std::uint32_t run,
                       std::uint32_t pass)
    : schedule_(schedule), spread_(options.durations), seed_(mixed({options.seed, kTask, run, pass})) {}

double TaskJitter::slowness(RankId rank, std::uint32_t task) {
  const TaskDescriptor& td = schedule_[index(rank)].tasks()[task];
  return factor(mixed({seed_, index(rank), td.op, td.task_index, td.gexpert, td.src, td.dst}), spread_);
}

Hardware with_jitter(const Hardware& hardware, const JitterOptions& options, std::uint32_t run) {
  constexpr const char* kParts[] = {
      "L2 reads", "L2 writes", "HBM", "link ports", "put rate of a worker", "host collective, rate"};
  Hardware changed = hardware;
  if (options.rates == 0) return changed;
  for (std::uint64_t i = 0; i < std::size(kParts); ++i)
    machine_part(kParts[i]).improve(changed, {factor(mixed({options.seed, kRate, run, i}), options.rates)});
  return changed;
}

RunResult run_jittered(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                       const JitterOptions& options, std::uint32_t run, bool record) {
  const JitterOptions how = options.runs > 0 ? options : JitterOptions::none();
  Experiment changed = experiment;
  changed.hardware = with_jitter(experiment.hardware, how, run);
  TaskJitter hooks(compiled.passes[pass].schedule, how, run, static_cast<std::uint32_t>(pass));
  RunOptions with = options_of(experiment, record);
  with.hooks = &hooks;
  return run_pass(changed, compiled, pass, with);
}

Duration jittered_total(const Experiment& experiment, const Compiled& compiled, const JitterOptions& options,
                        std::uint32_t run) {
  Duration total{};
  for (std::size_t p = 0; p < compiled.passes.size(); ++p)
    total += run_jittered(experiment, compiled, p, options, run, false).makespan;
  return total;
}

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

std::string interval_in_percent(const MedianInterval& of) { return interval(of, 100, 2, " %"); }
std::string interval_in_milliseconds(const MedianInterval& of) { return interval(of, 1e-9, 3, ""); }

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
