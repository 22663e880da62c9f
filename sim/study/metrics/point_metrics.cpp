#include "sim/study/metrics/point_metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/core/statistics.h"
#include "sim/study/metrics/metric.h"
#include "sim/study/summary/run_trace.h"

namespace a3sim {

namespace {

[[noreturn]] void throw_none(std::string_view works, MeasuredWork work) {
  std::string known;
  for (const std::string& name : metric_names()) {
    if (has_metric(work, name)) known += (known.empty() ? "" : ", ") + name;
  }
  throw InputError(fmt::format("metrics: {} have none of these; they have {}", works, known));
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& [name, metric] : Metrics::all())
    if (!metric.object->published_only) names.push_back(name);
  return names;
}

MeasuredWork measured_work(const Experiment& experiment) {
  if (training_plan(experiment)) return MeasuredWork::kStep;
  return experiment.work->micro_batches() ? MeasuredWork::kMicroBatches : MeasuredWork::kPasses;
}

bool has_metric(MeasuredWork work, const std::string& name) {
  const Metric& metric = Metrics::get(name);
  switch (work) {
    case MeasuredWork::kMicroBatches:
      return !metric.of_batch.empty();
    case MeasuredWork::kStep:
      return metric.of_step != nullptr;
    default:
      return metric.amount != nullptr;
  }
}

bool need_records(std::span<const std::string> metrics) {
  return std::ranges::any_of(metrics, [](const std::string& name) {
    const Metric& metric = Metrics::get(name);
    return metric.needs_records || metric.needs_trace;
  });
}

std::vector<PointMetric> metrics_of(const Experiment& experiment, std::span<const PassResult> passes,
                                    std::span<const std::string> names) {
  const std::vector<Trace> traces =
      need_records(names) ? traces_of(experiment, passes) : std::vector<Trace>{};
  std::vector<PassAnalysis> measured;
  for (std::size_t p = 0; p < passes.size(); ++p)
    measured.emplace_back(passes[p], traces.empty() ? nullptr : &traces[p]);
  std::vector<PointMetric> metrics;
  for (const std::string& name : names) {
    const Metric& metric = Metrics::get(name);
    if (!has_metric(MeasuredWork::kPasses, name)) continue;
    MetricAmount total;
    for (const PassAnalysis& pass : measured) {
      const MetricAmount amount = metric.amount(pass);
      metrics.push_back({pass.result().name, name, metric.value(amount), metric.unit()});
      total = {total.part + amount.part, total.whole + amount.whole, amount.count};
    }
    metrics.push_back({"total", name, metric.value(total), metric.unit()});
  }
  return metrics;
}

std::vector<BatchMetric> batch_metrics(const std::vector<std::vector<MicroBatchResult>>& by_seed,
                                       std::span<const std::string> names) {
  std::vector<BatchMetric> metrics;
  for (const std::string& name : names) {
    const Metric& metric = Metrics::get(name);
    for (const Metric::OfBatch& batch : metric.of_batch) {
      std::vector<std::vector<double>> values;
      if (by_seed.front().front().replayed && !batch.of_schedules) continue;
      for (const auto& seed : by_seed) {
        values.emplace_back();
        for (const MicroBatchResult& result : seed) values.back().push_back(batch.value(result));
      }
      const MeanInterval mean = mean_interval_of_groups(values);
      metrics.push_back({{std::string(batch.pass), name, mean.mean, metric.unit()}, mean.low, mean.high});
    }
  }
  if (metrics.empty()) throw_none("streams", MeasuredWork::kMicroBatches);
  return metrics;
}

std::vector<PointMetric> step_metrics(const StepFigures& figures, std::span<const std::string> names) {
  std::vector<PointMetric> metrics;
  for (const std::string& name : names) {
    const Metric& metric = Metrics::get(name);
    if (metric.of_step) metrics.push_back({"total", name, metric.of_step(figures), metric.unit()});
  }
  if (metrics.empty()) throw_none("training steps", MeasuredWork::kStep);
  return metrics;
}

}  // namespace a3sim
