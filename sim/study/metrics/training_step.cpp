#include "sim/study/metrics/metric.h"

// Metrics of a training step, besides latency. They are per die, as means over the stages.
namespace a3sim {
namespace {

using Better = Metric::Better;
using Form = Metric::Form;

Metric step_metric(Form form, Better better, std::function<double(const StepFigures&)> value) {
  Metric metric{form};
  metric.better = better;
  metric.of_step = std::move(value);
  return metric;
}

A3SIM_REGISTER(Metric, "tokens", "that a die trains on, a second",
               Metric(step_metric(Form::kPerSecond, Better::kLarger,
                                  [](const StepFigures& figures) { return figures.tokens_a_die; })));
A3SIM_REGISTER(Metric, "mfu", "of a die's peak: what the model needs, without what is computed again",
               Metric(step_metric(Form::kShare, Better::kLarger,
                                  [](const StepFigures& figures) { return 100 * figures.mfu; })));
A3SIM_REGISTER(Metric, "memory", "of the fullest die",
               Metric(step_metric(Form::kMegabytes, Better::kSmaller,
                                  [](const StepFigures& figures) { return 1e-6 * figures.peak_memory; })));
A3SIM_REGISTER(Metric, "experts_share", "of the step: Dispatch to Combine",
               Metric(step_metric(Form::kShare, Better::kNeither,
                                  [](const StepFigures& figures) { return 100 * figures.experts_share; })));

A3SIM_REGISTER(Metric, "exchanged_share", "of the step: exchanges of experts' rows, hidden or not",
               Metric(step_metric(Form::kShare, Better::kNeither, [](const StepFigures& figures) {
                 const auto& ep = figures.exchanges[static_cast<std::size_t>(ExchangeFor::kEp)];
                 return 100 * seconds(ep.total) / seconds(figures.time);
               })));
A3SIM_REGISTER(Metric, "grouped_share", "of the step: products of experts",
               Metric(step_metric(Form::kShare, Better::kNeither, [](const StepFigures& figures) {
                 return 100 * seconds(at(figures.classes, TimeClass::kGrouped)) / seconds(figures.time);
               })));
A3SIM_REGISTER(Metric, "mac_ratio", "of the peak that cubes reach while kernels run on them",
               Metric(step_metric(Form::kShare, Better::kLarger,
                                  [](const StepFigures& figures) { return 100 * figures.mac_ratio; })));

// Returns "step.vector_alone".
std::string class_name(TimeClass kind) {
  std::string name = "step.";
  for (const char c : name_of(kind))
    name += c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return name;
}

// Registers a die's time by class. The times sum to the latency.
[[maybe_unused]] const bool kClassesRegistered = [] {
  for (std::uint32_t c = 0; c < kTimeClasses; ++c) {
    const auto kind = static_cast<TimeClass>(c);
    Metrics::Entry(class_name(kind), "of a training step",
                   std::make_unique<Metric>(
                       step_metric(Form::kMilliseconds, Better::kNeither, [kind](const StepFigures& figures) {
                         return milliseconds(at(figures.classes, kind));
                       })));
  }
  return true;
}();

}  // namespace
}  // namespace a3sim
