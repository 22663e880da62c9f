#include "sim/result/metrics/point_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/core/statistics.h"
#include "sim/result/metrics/pass_analysis.h"

namespace a3sim {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Returns whether runs of passes have the metric.
bool is_of_passes(const std::string& name) { return Metrics::get(name).amount != nullptr; }

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& [name, metric] : Metrics::all())
    if (!metric.object->published_only) names.push_back(name);
  return names;
}

std::vector<std::string> metrics_had(const Experiment& experiment, std::span<const std::string> names) {
  const std::vector<std::string> sampled = experiment.work->sampled_metrics();
  std::vector<std::string> had;
  for (const std::string& name : names)
    if (has(sampled, name) || (experiment.work->measured_by_pass() && is_of_passes(name)))
      had.push_back(name);
  return had;
}

bool need_trace(std::span<const std::string> metrics) {
  return std::ranges::any_of(metrics, [](const std::string& name) {
    const Metric& metric = Metrics::get(name);
    return metric.needs_records || metric.needs_trace;
  });
}

std::vector<PointMetric> metrics_of(std::span<const RunOutcome> passes, std::span<const std::string> names) {
  std::vector<PassAnalysis> analysed(passes.begin(), passes.end());
  std::vector<PointMetric> metrics;
  for (const std::string& name : names) {
    if (!is_of_passes(name)) continue;
    const Metric& metric = Metrics::get(name);
    MetricAmount total;
    for (const PassAnalysis& pass : analysed) {
      const MetricAmount amount = metric.amount(pass);
      metrics.push_back({pass.outcome().name, name, metric.value(amount), metric.unit()});
      total = {total.part + amount.part, total.whole + amount.whole, amount.count};
    }
    metrics.push_back({"total", name, metric.value(total), metric.unit()});
  }
  return metrics;
}

std::vector<SampledMean> sampled_means(const std::vector<std::vector<SampledMetric>>& by_seed,
                                       std::span<const std::string> names) {
  std::vector<SampledMean> means;
  for (const std::string& name : names) {
    for (std::size_t m = 0; m < by_seed.front().size(); ++m) {
      const SampledMetric& sampled = by_seed.front()[m];
      if (sampled.name != name) continue;
      std::vector<std::vector<double>> values;
      for (const std::vector<SampledMetric>& seed : by_seed) values.push_back(seed[m].values);
      const MeanInterval mean = mean_interval_of_groups(values);
      means.push_back({{sampled.pass, name, mean.mean, Metrics::get(name).unit()}, mean.low, mean.high});
    }
  }
  return means;
}

std::vector<PointMetric> measured(const Experiment& experiment, std::span<const std::string> names,
                                  CompileCache* cache) {
  const ExperimentWork& work = *experiment.work;
  const std::vector<std::string> had = metrics_had(experiment, names), sampled = work.sampled_metrics();
  if (had.empty())
    throw InputError(fmt::format("metrics: {} has none of these; it has {}", experiment.name,
                                 fmt::join(metrics_had(experiment, metric_names()), ", ")));
  std::vector<std::string> of_samples, of_passes;
  for (const std::string& name : had) (has(sampled, name) ? of_samples : of_passes).push_back(name);
  std::vector<PointMetric> metrics;
  if (!of_passes.empty()) {
    const Record record = need_trace(of_passes) ? Record::kTrace : Record::kSums;
    metrics = metrics_of(work.prepare(experiment, 1, cache)->run_all(experiment, record, 1), of_passes);
  }
  if (of_samples.empty()) return metrics;
  std::vector<std::vector<SampledMetric>> by_seed;
  for (std::uint32_t seed = 0; seed < work.seeds(); ++seed) by_seed.push_back(work.sample(experiment, seed));
  for (SampledMean& mean : sampled_means(by_seed, of_samples)) metrics.push_back(std::move(mean.mean));
  return metrics;
}

}  // namespace a3sim
