#include <functional>

#include "sim/experiment/inference/inference_sections.h"
#include "sim/experiment/metric.h"

namespace a3sim {
namespace {

struct InferenceMetric {
  std::string name, description;
  Metric::Form form;
  Metric::Better better;
  std::function<double(const PreparedInference&, const InferenceFigures&)> value;  // in the metric's unit
};

std::string lower_name(TimeClass kind) {
  std::string name = "step.";
  for (const char c : name_of(kind))
    name += c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return name;
}

const std::vector<InferenceMetric>& inference_metrics() {
  static const std::vector<InferenceMetric> kMetrics{
      {"tpot", "of a step of decode over the tokens that it leaves each request", Metric::Form::kMilliseconds,
       Metric::Better::kSmaller,
       [](const PreparedInference&, const InferenceFigures& figures) { return milliseconds(figures.token); }},
      {"tokens_a_die", "that a step of inference leaves (decode) or takes (prefill), a second and die",
       Metric::Form::kPerSecond, Metric::Better::kLarger,
       [](const PreparedInference&, const InferenceFigures& figures) { return figures.tokens_a_die; }},
      {"largest_batch", "of a rank, requests for which the memory suffices", Metric::Form::kNumber,
       Metric::Better::kLarger,
       [](const PreparedInference&, const InferenceFigures& figures) {
         return static_cast<double>(figures.largest_batch);
       }},
      {"cache", "of a die: keys and values", Metric::Form::kGibibytes, Metric::Better::kSmaller,
       [](const PreparedInference& prepared, const InferenceFigures&) {
         return 0x1p-30 * prepared.memory.cache;
       }}};
  return kMetrics;
}

[[maybe_unused]] const bool kInferenceRegistered = [] {
  for (const InferenceMetric& own : inference_metrics()) {
    auto metric = std::make_unique<Metric>();
    metric->form = own.form;
    metric->better = own.better;
    Metrics::Entry(own.name, own.description, std::move(metric));
  }
  return true;
}();

}  // namespace

std::vector<std::string> inference_metric_names() {
  std::vector<std::string> names{"latency", "memory"};
  for (const InferenceMetric& own : inference_metrics()) names.push_back(own.name);
  for (std::uint32_t c = 0; c < kTimeClasses; ++c) names.push_back(lower_name(static_cast<TimeClass>(c)));
  return names;
}

std::vector<SampledMetric> inference_samples(const PreparedInference& prepared,
                                             const InferenceFigures& figures) {
  std::vector<SampledMetric> samples{{"total", "latency", {milliseconds(figures.time)}},
                                     {"total", "memory", {0x1p-30 * prepared.memory.total()}}};
  for (const InferenceMetric& own : inference_metrics())
    samples.push_back({"total", own.name, {own.value(prepared, figures)}});
  for (std::uint32_t c = 0; c < kTimeClasses; ++c) {
    const auto kind = static_cast<TimeClass>(c);
    samples.push_back({"total", lower_name(kind), {milliseconds(at(figures.classes, kind))}});
  }
  return samples;
}

}  // namespace a3sim
