#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "sim/core/parallel.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/metrics/metric_unit.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

// The ratio of two times.
struct RatioBlock {
  struct Part {
    std::string metric;      // its own; empty: it is no point
    std::string experiment;  // configs/experiments/NAME.yaml
    std::vector<std::string> overrides;
  };
  std::string metric;  // of the ratio
  Part numerator, denominator;
};

void read_ratio(const TableFile& file, PublishedTable& table) {
  read_cases(file, table);
  const Config config = file.root.map("ratio");
  RatioBlock ratio;
  const auto part = [&](const char* key) {
    const Config time = config.map(key);
    RatioBlock::Part read{time.text("metric", ""), time.text("experiment", table.experiment),
                          overrides_below(time, "set", file.folder)};
    if (!read.metric.empty() && !metric_unit(read.metric, "us"))
      time.error("metric", fmt::format("'{}' is no metric in us", read.metric));
    time.finish();
    return read;
  };
  ratio.metric = config.text("metric");
  if (!metric_unit(ratio.metric, "ratio"))
    config.error("metric", fmt::format("'{}' is no metric whose unit is ratio", ratio.metric));
  ratio.numerator = part("of");
  ratio.denominator = part("over");
  config.finish();
  table.block = std::move(ratio);
}

struct TimedPart {
  Duration time{};
  std::string hardware;
};

// Runs a part of a ratio. Its time is the sum over the passes, or kernels, of its experiment.
TimedPart run_part(const RatioBlock::Part& part, const Scenario& scenario,
                   const std::vector<std::string>& of_case) {
  std::vector<std::string> overrides = of_case;
  overrides.insert(overrides.end(), part.overrides.begin(), part.overrides.end());
  const Experiment experiment = scenario.load(part.experiment, overrides);
  TimedPart timed{{}, experiment.hardware.name};
  for (const PassResult& pass : run_experiment(experiment, false)) timed.time += pass.run.makespan;
  return timed;
}

double published_time(const std::string& metric, Duration time) {
  return in_unit(metric, "us", static_cast<double>(time.count()));
}

// Returns the ratio of a case's two times, and the times that have names.
std::vector<Point> points_of_ratio(const RatioBlock& ratio, const PublishedCase& one,
                                   const std::array<TimedPart, 2>& times) {
  const auto& [numerator, denominator] = times;
  std::vector<Point> points;
  const auto add = [&](const std::string& metric, const std::string& unit, double value) {
    points.push_back({one.coordinates, metric, unit, value, numerator.hardware});
  };
  add(ratio.metric, "ratio", seconds(numerator.time) / seconds(denominator.time));
  if (!ratio.numerator.metric.empty())
    add(ratio.numerator.metric, "us", published_time(ratio.numerator.metric, numerator.time));
  if (!ratio.denominator.metric.empty())
    add(ratio.denominator.metric, "us", published_time(ratio.denominator.metric, denominator.time));
  return points;
}

// Predicts the ratio of two times for each case, and the two times if they have names.
Predictions run_ratios(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  const auto& ratio = std::any_cast<const RatioBlock&>(table.block);
  std::vector<PublishedCase> cases;
  for (const PublishedCase& one : table.cases)
    if (one.variant.empty() && wanted.has(one.coordinates)) cases.push_back(one);
  std::vector<std::array<TimedPart, 2>> times(cases.size());
  std::vector<std::vector<Point>> points(cases.size());
  std::vector<std::uint32_t> missing(cases.size(), 2);  // parts that have not been run
  std::mutex one_at_a_time;
  in_parallel(2 * cases.size(), scenario.threads, [&](std::size_t i) {
    const std::size_t nth = i / 2;
    times[nth][i % 2] =
        run_part(i % 2 == 0 ? ratio.numerator : ratio.denominator, scenario, cases[nth].overrides);
    const std::scoped_lock lock(one_at_a_time);
    if (--missing[nth] > 0) return;
    points[nth] = points_of_ratio(ratio, cases[nth], times[nth]);
    if (wanted.seen) wanted.seen(points[nth]);
  });
  Predictions result{table.heading, {}};
  for (std::vector<Point>& of_case : points) std::ranges::move(of_case, std::back_inserter(result.points));
  return result;
}

A3SIM_REGISTER(Evaluation, "ratios", "one time over another, for each case",
               Evaluation{run_ratios, read_ratio});

}  // namespace
}  // namespace a3sim
