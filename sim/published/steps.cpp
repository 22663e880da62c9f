#include <fmt/format.h>

#include <functional>
#include <map>
#include <mutex>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/step/step_sections.h"
#include "sim/published/evaluation.h"
#include "sim/published/step_figure.h"
#include "sim/result/metrics/metric_unit.h"

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
  // Calls `ended` with each step that has ended, one call at a time.
  void run(const Scenario& scenario, const std::function<void(const PublishedStep&)>& ended) {
    std::mutex one_at_a_time;
    in_parallel(steps_.size(), scenario.threads, [&](std::size_t s) {
      PublishedStep& step = steps_[s];
      const Experiment experiment = scenario.load(step.experiment, step.overrides);
      step.hardware = experiment.hardware.name;
      const SimulatedStep simulated = simulate_step(experiment);
      step.figures = simulated.figures;
      step.scale = scale_of(experiment);
      const std::scoped_lock lock(one_at_a_time);
      ended(step);
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

Point point_of_step(const PublishedKernel& kernel, const PublishedStep& step) {
  Point point;
  point.coordinates = kernel.coordinates;
  point.metric = kernel.metric;
  point.unit = kernel.unit;
  point.hardware = step.hardware;
  return point;
}

// Returns a figure of a step that is compared with no other.
Point figure_of_step(const PublishedKernel& kernel, const PublishedStep& step) {
  Point point = point_of_step(kernel, step);
  point.value = step_figure(kernel.metric, kernel.unit, kernel.coordinates, step.figures, step.scale);
  point.formula = step_formula(kernel.metric, step.scale);
  return point;
}

Point ratio_of_steps(const PublishedKernel& kernel, const PublishedStep& step, const PublishedStep& other) {
  Point point = point_of_step(kernel, step);
  point.value = seconds(other.figures.time) / seconds(step.figures.time);
  if (kernel.metric == "recompute_cost") point.value = 1 / point.value;
  point.formula = step_formula_ratio(kernel.metric);
  return point;
}

Predictions run_steps(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted) {
  PublishedSteps steps;
  for (const PublishedKernel& kernel : table.kernels) {
    if (!wanted.has(kernel.coordinates)) continue;
    steps.add(kernel.experiment, kernel.overrides);
    if (!kernel.against.empty()) steps.add(kernel.experiment, overrides_against(kernel));
  }
  steps.run(scenario, [&](const PublishedStep& step) {
    if (!wanted.seen) return;
    std::vector<Point> points;
    for (const PublishedKernel& kernel : table.kernels) {
      if (kernel.against.empty() && wanted.has(kernel.coordinates) && kernel.experiment == step.experiment &&
          kernel.overrides == step.overrides)
        points.push_back(figure_of_step(kernel, step));
    }
    if (!points.empty()) wanted.seen(std::move(points));
  });
  Predictions result{table.heading, {}};
  for (const PublishedKernel& kernel : table.kernels) {
    if (!wanted.has(kernel.coordinates)) continue;
    const PublishedStep& step = steps.get(kernel.experiment, kernel.overrides);
    result.points.push_back(
        kernel.against.empty()
            ? figure_of_step(kernel, step)
            : ratio_of_steps(kernel, step, steps.get(kernel.experiment, overrides_against(kernel))));
  }
  return result;
}

A3SIM_REGISTER(Evaluation, "steps", "training steps, each run once for all of its figures",
               Evaluation{run_steps, read_kernels});

}  // namespace
}  // namespace a3sim
