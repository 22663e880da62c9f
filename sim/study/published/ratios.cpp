#include "sim/core/parallel.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/metrics/metric_unit.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

struct TimedPart {
  Duration time{};
  std::string hardware;
};

// Runs a part of a ratio. Its time is the sum over the passes, or kernels, of its experiment.
TimedPart run_part(const PublishedRatio::Part& part, const Scenario& scenario,
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

// Predicts the ratio of two times for each case, and the two times if they have names.
Predictions run_ratios(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  const PublishedRatio& ratio = table.ratio;
  std::vector<PublishedCase> cases;
  for (const PublishedCase& one : table.cases)
    if (one.variant.empty() && wanted.has(one.coordinates)) cases.push_back(one);
  std::vector<std::array<TimedPart, 2>> times(cases.size());
  in_parallel(2 * cases.size(), scenario.threads, [&](std::size_t i) {
    times[i / 2][i % 2] =
        run_part(i % 2 == 0 ? ratio.numerator : ratio.denominator, scenario, cases[i / 2].overrides);
  });
  Predictions result{table.heading, {}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [numerator, denominator] = times[i];
    const auto add = [&](const std::string& metric, const std::string& unit, double value) {
      result.points.push_back({cases[i].coordinates, metric, unit, value, numerator.hardware});
    };
    add(ratio.metric, "ratio", seconds(numerator.time) / seconds(denominator.time));
    if (!ratio.numerator.metric.empty())
      add(ratio.numerator.metric, "us", published_time(ratio.numerator.metric, numerator.time));
    if (!ratio.denominator.metric.empty())
      add(ratio.denominator.metric, "us", published_time(ratio.denominator.metric, denominator.time));
  }
  return result;
}

A3SIM_REGISTER(Evaluation, "ratios", "one time over another, for each case", Evaluation{run_ratios});

}  // namespace
}  // namespace a3sim
