#include "sim/experiment/step/step_metrics.h"

#include <functional>

#include "sim/experiment/metric.h"

namespace a3sim {
namespace {

struct StepMetric {
  std::string name, description;
  Metric::Form form;
  Metric::Better better;
  std::function<double(const StepFigures&)> value;  // in the metric's unit
};

// Returns "step.vector_alone".
std::string class_name(TimeClass kind) {
  std::string name = "step.";
  for (const char c : name_of(kind))
    name += c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return name;
}

// Returns the metrics that only steps have. The times by class sum to the latency.
std::vector<StepMetric> make_step_metrics() {
  std::vector<StepMetric> metrics{
      {"tokens", "that a die trains on, a second", Metric::Form::kPerSecond, Metric::Better::kLarger,
       [](const StepFigures& figures) { return figures.tokens_a_die; }},
      {"mfu", "of a die's peak: what the model needs, without what is computed again", Metric::Form::kShare,
       Metric::Better::kLarger, [](const StepFigures& figures) { return 100 * figures.mfu; }},
      {"memory", "of the fullest die", Metric::Form::kGibibytes, Metric::Better::kSmaller,
       [](const StepFigures& figures) { return 0x1p-30 * figures.peak_memory; }},
      {"experts_share", "of the step: Dispatch to Combine", Metric::Form::kShare, Metric::Better::kNeither,
       [](const StepFigures& figures) { return 100 * figures.experts_share; }},
      {"exchanged_share", "of the step: exchanges of experts' rows, hidden or not", Metric::Form::kShare,
       Metric::Better::kNeither,
       [](const StepFigures& figures) {
         const auto& ep = figures.exchanges[static_cast<std::size_t>(ExchangeFor::kEp)];
         return 100 * seconds(ep.total) / seconds(figures.time);
       }},
      {"grouped_share", "of the step: products of experts", Metric::Form::kShare, Metric::Better::kNeither,
       [](const StepFigures& figures) {
         return 100 * seconds(at(figures.classes, TimeClass::kGrouped)) / seconds(figures.time);
       }},
      {"mac_ratio", "of the peak that cubes reach while kernels run on them", Metric::Form::kShare,
       Metric::Better::kLarger, [](const StepFigures& figures) { return 100 * figures.mac_ratio; }}};
  for (std::uint32_t c = 0; c < kTimeClasses; ++c) {
    const auto kind = static_cast<TimeClass>(c);
    metrics.push_back(
        {class_name(kind), "of a training step", Metric::Form::kMilliseconds, Metric::Better::kNeither,
         [kind](const StepFigures& figures) { return milliseconds(at(figures.classes, kind)); }});
  }
  return metrics;
}

const std::vector<StepMetric>& step_metrics() {
  static const std::vector<StepMetric> kMetrics = make_step_metrics();
  return kMetrics;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const StepMetric& own : step_metrics()) {
    auto metric = std::make_unique<Metric>();
    metric->form = own.form;
    metric->better = own.better;
    Metrics::Entry(own.name, own.description, std::move(metric));
  }
  return true;
}();

}  // namespace

std::vector<std::string> step_metric_names() {
  std::vector<std::string> names{"latency"};
  for (const StepMetric& own : step_metrics()) names.push_back(own.name);
  return names;
}

std::vector<SampledMetric> step_samples(const StepFigures& figures) {
  std::vector<SampledMetric> samples{{"total", "latency", {milliseconds(figures.time)}}};
  for (const StepMetric& own : step_metrics()) samples.push_back({"total", own.name, {own.value(figures)}});
  return samples;
}

}  // namespace a3sim
