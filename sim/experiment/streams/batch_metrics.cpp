#include "sim/experiment/streams/batch_metrics.h"

#include <algorithm>
#include <stdexcept>

#include "sim/experiment/metric.h"

// Metrics of micro-batches on streams. All but the latency are of the forward pass.
namespace a3sim {
namespace {

struct BatchMetric {
  std::string_view name, pass;
  BatchValue value;
};

constexpr BatchMetric kBatchMetrics[] = {
    {"combine", "total", [](const MicroBatchResult& batch) { return milliseconds(batch.combine); }},
    {"copied", "total",
     [](const MicroBatchResult& batch) { return 1e-6 * static_cast<double>(batch.copied); }},
    {"dispatch", "total", [](const MicroBatchResult& batch) { return milliseconds(batch.dispatch); }},
    {"latency", "forward", [](const MicroBatchResult& batch) { return milliseconds(batch.forward); }},
    {"latency", "backward", [](const MicroBatchResult& batch) { return milliseconds(batch.backward); }},
    {"latency", "total",
     [](const MicroBatchResult& batch) { return milliseconds(batch.forward + batch.backward); }},
    {"product_straggler", "total", [](const MicroBatchResult& batch) { return 1e3 * batch.gemm_straggler; }},
    {"token_straggler", "total", [](const MicroBatchResult& batch) { return batch.token_straggler; }},
    {"waste", "total", [](const MicroBatchResult& batch) { return 100 * batch.waste; }}};

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

}  // namespace

BatchValue batch_value(std::string_view metric, std::string_view pass) {
  for (const BatchMetric& known : kBatchMetrics)
    if (known.name == metric && known.pass == pass) return known.value;
  throw std::logic_error("micro-batches have no " + std::string(metric));
}

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

}  // namespace a3sim
