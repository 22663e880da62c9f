#include "sim/published/measures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "sim/core/parallel.h"
#include "sim/experiment/step/step_sections.h"
#include "sim/published/step_figure.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

constexpr std::string_view kStep = "step";

// An experiment that a table measures, and its step if that is what is measured.
struct MeasuredRun {
  std::string experiment;
  std::vector<std::string> overrides;
  std::vector<std::size_t> points{};  // those that it alone gives
  bool step = false;
  StepFigures figures{};
  StepScale scale{};
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

class Measures {
 public:
  Measures(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted)
      : table_(table), scenario_(scenario) {
    for (const PublishedKernel& kernel : table.kernels) {
      if (!wanted.has(kernel.coordinates)) continue;
      const std::size_t run = add(kernel, kernel.overrides);
      if (kernel.against.empty()) runs_[run].points.push_back(kernels_.size());
      const std::size_t other = kernel.against.empty() ? run : add(kernel, overrides_against(kernel));
      kernels_.push_back({&kernel, run, other});
      points_.push_back({kernel.coordinates, kernel.metric, kernel.unit, 0, {}});
    }
  }

  // Runs every experiment once, and calls `seen` with what each alone gives.
  void run(const PointsSink& seen) {
    std::mutex one_at_a_time;
    in_parallel(runs_.size(), scenario_.threads, [&](std::size_t r) {
      measure(runs_[r], r);
      if (!seen || runs_[r].points.empty()) return;
      std::vector<Point> points;
      for (const std::size_t p : runs_[r].points) points.push_back(points_[p]);
      const std::scoped_lock lock(one_at_a_time);
      seen(std::move(points));
    });
    for (std::size_t p = 0; p < kernels_.size(); ++p)
      if (!kernels_[p].kernel->against.empty()) compare_steps(p);
  }

  std::vector<Point> take() { return std::move(points_); }

 private:
  struct MeasuredKernel {
    const PublishedKernel* kernel;
    std::size_t run, other;  // other: what it is compared with
  };

  std::size_t add(const PublishedKernel& kernel, const std::vector<std::string>& overrides) {
    const auto known = std::ranges::find_if(runs_, [&](const MeasuredRun& run) {
      return run.experiment == kernel.experiment && run.overrides == overrides;
    });
    const auto number = static_cast<std::size_t>(known - runs_.begin());
    if (known == runs_.end()) runs_.push_back({kernel.experiment, overrides});
    runs_[number].step |= kernel.measure == kStep;
    return number;
  }

  void measure(MeasuredRun& run, std::size_t number) {
    const Experiment experiment = scenario_.load(run.experiment, run.overrides);
    if (run.step) {
      run.figures = simulate_step(experiment).figures;
      run.scale = scale_of(experiment);
    }
    for (std::size_t p = 0; p < kernels_.size(); ++p)
      if (kernels_[p].run == number) points_[p].hardware = experiment.hardware.name;
    for (const std::size_t p : run.points) {
      const PublishedKernel& kernel = *kernels_[p].kernel;
      if (kernel.measure == kStep) {
        points_[p].value =
            step_figure(kernel.metric, kernel.unit, kernel.coordinates, run.figures, run.scale);
        points_[p].formula = step_formula(kernel.metric, run.scale);
      } else {
        points_[p].value = in_unit(kernel.metric, kernel.unit, measured_traffic(table_, kernel, experiment));
      }
    }
  }

  void compare_steps(std::size_t p) {
    const MeasuredRun &own = runs_[kernels_[p].run], &other = runs_[kernels_[p].other];
    Point& point = points_[p];
    point.value = seconds(other.figures.time) / seconds(own.figures.time);
    if (point.metric == "recompute_cost") point.value = 1 / point.value;
    point.formula = step_formula_ratio(point.metric);
  }

  const PublishedTable& table_;
  const Scenario& scenario_;
  std::vector<MeasuredRun> runs_;
  std::vector<MeasuredKernel> kernels_;
  std::vector<Point> points_;  // by kernel
};

}  // namespace

Predictions run_measures(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted) {
  Measures measures(table, scenario, wanted);
  measures.run(wanted.seen);
  return {table.heading, measures.take()};
}

}  // namespace a3sim
