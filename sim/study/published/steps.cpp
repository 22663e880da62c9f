#include <fmt/format.h>

#include <map>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/study/metrics/metric_unit.h"
#include "sim/study/published/evaluation.h"
#include "sim/study/published/step_figure.h"
#include "sim/study/summary/step_summary.h"

namespace a3sim {
namespace {

// A step that a table runs, with its results.
struct PublishedStep {
  std::string experiment;
  std::vector<std::string> overrides;
  std::string hardware;
  StepFigures figures{};
  StepScale scale{};
};

std::string key_of_step(const std::string& experiment, const std::vector<std::string>& overrides) {
  return fmt::format("{} {}", experiment, fmt::join(overrides, " "));
}

// Runs each step of a table once, however many of its figures are asked for.
class PublishedSteps {
 public:
  void add(const std::string& experiment, const std::vector<std::string>& overrides) {
    const auto [known, is_new] = number_.try_emplace(key_of_step(experiment, overrides), steps_.size());
    if (is_new) steps_.push_back({experiment, overrides, {}, {}, {}});
  }
  void run(const Scenario& scenario) {
    in_parallel(steps_.size(), scenario.threads, [&](std::size_t s) {
      PublishedStep& step = steps_[s];
      const Experiment experiment = scenario.load(step.experiment, step.overrides);
      step.hardware = experiment.hardware.name;
      const SimulatedStep simulated = simulate_step(experiment);
      step.figures = simulated.figures;
      step.scale = scale_of(experiment);
    });
  }
  const PublishedStep& get(const std::string& experiment, const std::vector<std::string>& overrides) const {
    return steps_[number_.at(key_of_step(experiment, overrides))];
  }

 private:
  std::map<std::string, std::size_t> number_;
  std::vector<PublishedStep> steps_;
};

// Returns the case's values, with those of the compared step laid over them.
std::vector<std::string> overrides_against(const PublishedKernel& kernel) {
  std::vector<std::string> changed = kernel.overrides;
  for (const std::string& change : kernel.against) {
    std::erase_if(changed, [&](const std::string& own) {
      return own.substr(0, own.find('=')) == change.substr(0, change.find('='));
    });
    changed.push_back(change);
  }
  return changed;
}

Predictions run_steps(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  PublishedSteps steps;
  for (const PublishedKernel& kernel : table.kernels) {
    if (!wanted.has(kernel.coordinates)) continue;
    steps.add(kernel.experiment, kernel.overrides);
    if (!kernel.against.empty()) steps.add(kernel.experiment, overrides_against(kernel));
  }
  steps.run(scenario);
  Predictions result{table.heading, {}};
  for (const PublishedKernel& kernel : table.kernels) {
    if (!wanted.has(kernel.coordinates)) continue;
    const PublishedStep& step = steps.get(kernel.experiment, kernel.overrides);
    Point& point = result.points.emplace_back();
    point.coordinates = kernel.coordinates;
    point.metric = kernel.metric;
    point.unit = kernel.unit;
    point.hardware = step.hardware;
    if (kernel.against.empty()) {
      point.value = step_figure(kernel.metric, kernel.unit, kernel.coordinates, step.figures, step.scale);
      point.formula = step_formula(kernel.metric, step.scale);
    } else {
      const PublishedStep& other = steps.get(kernel.experiment, overrides_against(kernel));
      point.value = seconds(other.figures.time) / seconds(step.figures.time);
      if (kernel.metric == "recompute_cost") point.value = 1 / point.value;
      point.formula = step_formula_ratio(kernel.metric);
    }
  }
  return result;
}

A3SIM_REGISTER(Evaluation, "steps", "training steps, each run once for all of its figures",
               Evaluation{run_steps});

}  // namespace
}  // namespace a3sim
