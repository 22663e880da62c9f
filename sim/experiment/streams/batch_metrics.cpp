#include "sim/experiment/streams/batch_metrics.h"

#include <algorithm>

#include "sim/experiment/metric.h"
#include "sim/experiment/run/serial_roofline.h"
#include "sim/experiment/streams/first_batch.h"

// Metrics of micro-batches on streams. All but the latency are of the forward pass.
namespace a3sim {
namespace {

struct BatchMetric {
  std::string_view name, pass;
  double (*value)(const MicroBatchResult&);
};

constexpr BatchMetric kBatchMetrics[] = {
    {"combine", "total", [](const MicroBatchResult& batch) { return milliseconds(batch.combine); }},
    {"copied", "total",
     [](const MicroBatchResult& batch) { return 1e-6 * static_cast<double>(batch.copied); }},
    {"dispatch", "total", [](const MicroBatchResult& batch) { return milliseconds(batch.dispatch); }},
    {kFewestRows, "total", [](const MicroBatchResult& batch) { return std::ranges::min(batch.rows); }},
    {"latency", "forward", [](const MicroBatchResult& batch) { return milliseconds(batch.forward); }},
    {"latency", "backward", [](const MicroBatchResult& batch) { return milliseconds(batch.backward); }},
    {"latency", "total",
     [](const MicroBatchResult& batch) { return milliseconds(batch.forward + batch.backward); }},
    {"product_straggler", "total", [](const MicroBatchResult& batch) { return 1e3 * batch.gemm_straggler; }},
    {kMostRows, "total", [](const MicroBatchResult& batch) { return std::ranges::max(batch.rows); }},
    {"token_straggler", "total", [](const MicroBatchResult& batch) { return batch.token_straggler; }},
    {"waste", "total", [](const MicroBatchResult& batch) { return 100 * batch.waste; }}};

A3SIM_REGISTER(Metric, std::string(kMostRows), "rows of the busiest rank",
               Metric{.form = Metric::Form::kNumber, .published_only = true});
A3SIM_REGISTER(Metric, std::string(kFewestRows), "rows of the rank with the fewest",
               Metric{.form = Metric::Form::kNumber, .published_only = true});

Metric smaller_is_better(Metric::Form form) {
  Metric metric{form};
  metric.better = Metric::Better::kSmaller;
  return metric;
}

A3SIM_REGISTER(Metric, "token_straggler", "rows of the busiest rank above the mean",
               Metric(smaller_is_better(Metric::Form::kNumber)));
A3SIM_REGISTER(Metric, "product_straggler", "products of the busiest rank above the mean",
               Metric(smaller_is_better(Metric::Form::kMilliseconds)));
A3SIM_REGISTER(Metric, "dispatch", "all calls of dispatch",
               Metric(smaller_is_better(Metric::Form::kMilliseconds)));
A3SIM_REGISTER(Metric, "combine", "all calls of combine",
               Metric(smaller_is_better(Metric::Form::kMilliseconds)));
A3SIM_REGISTER(Metric, "waste", "the latency's part between the mean and the slowest rank's work",
               Metric(smaller_is_better(Metric::Form::kShare)));
A3SIM_REGISTER(Metric, "copied", "bytes by copy engines",
               Metric(smaller_is_better(Metric::Form::kMegabytes)));

// Returns the milliseconds that the products of a row take in the forward pass.
double milliseconds_per_row(const Experiment& experiment, double part_of_peak) {
  const Hardware hardware = sustained(experiment.hardware);
  const double macs = 3.0 * experiment.shape.hidden * experiment.shape.intermediate;
  const double peak = static_cast<double>(hardware.workers.count(CoreUnit::kMatrix)) *
                      hardware.cube.macs_per_cycle_16 * static_cast<double>(hardware.clock.count) *
                      hardware.cube.speed * part_of_peak;
  return macs / peak * 1e3;
}

}  // namespace

std::vector<std::string> batch_metric_names() {
  std::vector<std::string> names;
  for (const BatchMetric& known : kBatchMetrics)
    if (names.empty() || names.back() != known.name) names.emplace_back(known.name);
  return names;
}

std::vector<SampledMetric> batch_samples(const std::vector<MicroBatchResult>& results) {
  std::vector<SampledMetric> samples;
  for (const BatchMetric& known : kBatchMetrics) {
    SampledMetric& sampled =
        samples.emplace_back(SampledMetric{std::string(known.pass), std::string(known.name), {}});
    for (const MicroBatchResult& batch : results) sampled.values.push_back(known.value(batch));
  }
  return samples;
}

std::vector<SampledMetric> batch_samples_by_hand(const Experiment& experiment, std::uint32_t seed,
                                                 const std::vector<SampledMetric>& samples,
                                                 double part_of_peak) {
  const auto first = streams_on(experiment, draw_batches(experiment, seed))->prepare(experiment, 1);
  std::vector<SampledMetric> by_hand;
  for (std::size_t pass = 0; pass < first->passes(); ++pass)
    by_hand.push_back({first->pass_name(pass),
                       "latency",
                       {milliseconds(first->by_hand(experiment, pass, part_of_peak, "").value())}});
  for (const SampledMetric& sampled : samples) {
    if (sampled.name != "token_straggler") continue;
    by_hand.push_back({sampled.pass, "product_straggler", sampled.values});
    for (double& value : by_hand.back().values) value *= milliseconds_per_row(experiment, part_of_peak);
  }
  return by_hand;
}

}  // namespace a3sim
