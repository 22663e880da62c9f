#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "sim/core/parallel.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/experiment/run/serial_roofline.h"
#include "sim/published/evaluation.h"
#include "sim/published/simplest_formula.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

// A tuner that chooses a program's parameters.
struct TunerBlock {
  struct Value {
    std::string name;
    std::vector<std::string> overrides;  // path.to.key=value
  };
  struct Axis {
    std::string name;
    std::vector<Value> values;  // the default first
  };
  // A measured part. The tuner looks only at the first one.
  struct Part {
    std::string metric, unit;
    std::vector<std::string> overrides;
  };
  std::vector<Axis> axes;
  std::vector<Part> parts;
};

void read_tuner(const TableFile& file, PublishedTable& table) {
  const auto& [root, folder] = file;
  table.timed_from_kernel = read_timed_from_kernel(file);
  read_cases(file, table);
  TunerBlock tuner;
  const Config axes = root.map("axes");
  for (const std::string& name : axes.names()) {
    TunerBlock::Axis& axis = tuner.axes.emplace_back(TunerBlock::Axis{name, {}});
    const Config values = axes.map(name);
    for (const std::string& value : values.names())
      axis.values.push_back({value, overrides_below(values, value.c_str(), folder)});
    if (axis.values.empty()) axes.error(name, "no values, expected at least one");
    values.finish();
  }
  axes.finish();
  for (const Config& part : root.maps("parts")) {
    tuner.parts.push_back({part.text("metric"), part.text("unit"), overrides_below(part, "set", folder)});
    const TunerBlock::Part& read = tuner.parts.back();
    if (!metric_unit(read.metric, read.unit))
      part.error("unit", fmt::format("'{}' is no unit of {}", read.unit, read.metric));
    part.finish();
  }
  if (tuner.parts.empty()) root.error("parts", "none, expected at least one");
  table.block = std::move(tuner);
}

// For each of the tuner's axes, the position of a value.
using Setting = std::vector<std::size_t>;

// A case under the settings that a tuner may choose.
class TunedCase {
 public:
  TunedCase(const PublishedTable& table, const PublishedCase& one, const Scenario& scenario,
            const SimplestFormula& formula)
      : tuner_(std::any_cast<const TunerBlock&>(table.block)),
        from_kernel_(table.timed_from_kernel),
        experiment_(scenario.load(table.experiment_of(one), one.overrides)),
        one_(one),
        formula_(formula) {}

  void add_points(std::vector<Point>& points) {
    const Setting usual(tuner_.axes.size(), 0), best = least();
    for (const TunerBlock::Part& part : tuner_.parts) {
      const double scale = in_unit(part.metric, part.unit, 1);
      Point point{one_.coordinates,          part.metric, part.unit, ps(part, best) * scale,
                  experiment_.hardware.name, one_.variant};
      if (one_.variant.empty()) point.formula = static_cast<double>(by_hand(part, usual).count()) * scale;
      point.more = {{Column::number("by default", "", 1), ps(part, usual) * scale},
                    {Column::words("setting"), text_of_setting(best)}};
      points.push_back(std::move(point));
    }
  }

 private:
  const TunerBlock::Part& tuned() const { return tuner_.parts.front(); }

  // Starts at the default and gives one axis at a time its best value, until none gets better.
  Setting least() {
    Setting best(tuner_.axes.size(), 0);
    Duration time = run(tuned(), best);
    for (bool better = true; better;) {
      better = false;
      for (std::size_t axis = 0; axis < best.size(); ++axis) {
        for (std::size_t value = 0; value < tuner_.axes[axis].values.size(); ++value) {
          Setting other = best;
          other[axis] = value;
          if (other == best) continue;
          const Duration now = run(tuned(), other, time);
          if (now >= time) continue;
          best = other;
          time = now;
          better = true;
        }
      }
    }
    return best;
  }

  double ps(const TunerBlock::Part& part, const Setting& setting) {
    return static_cast<double>(run(part, setting).count());
  }

  std::vector<std::string> changes_of(const TunerBlock::Part& part, const Setting& setting) const {
    std::vector<std::string> changes = part.overrides;
    for (std::size_t axis = 0; axis < setting.size(); ++axis) {
      const auto& overrides = tuner_.axes[axis].values[setting[axis]].overrides;
      changes.insert(changes.end(), overrides.begin(), overrides.end());
    }
    return changes;
  }

  // Returns the part of a run that is not timed.
  Duration before(const Experiment& experiment) const {
    return from_kernel_ ? first_launch(experiment.program, experiment.run.launch) : Duration::zero();
  }

  Duration by_hand(const TunerBlock::Part& part, const Setting& setting) const {
    const Experiment experiment = experiment_.with(changes_of(part, setting));
    const Compiled compiled = compile_all(experiment);
    return serial_roofline(compiled.passes.front().schedule, compiled.counts, experiment.hardware,
                           experiment.program, experiment.run, formula_.part_of_peak(experiment.hardware))
               .total() -
           before(experiment);
  }

  // Returns the time of a part. May return any longer time if it exceeds the limit.
  Duration run(const TunerBlock::Part& part, const Setting& setting, Duration limit = Duration::max()) {
    const std::vector<std::string> changes = changes_of(part, setting);
    const auto [known, is_new] = times_.try_emplace(changes, Duration::zero());
    if (!is_new) return known->second;
    const Experiment experiment = experiment_.with(changes);
    const Compiled compiled = compile_all(experiment);
    const Duration launch = before(experiment);
    const Duration latest = limit == Duration::max() ? limit : limit + launch;
    const RunResult result = run_drawn(experiment, compiled, 0, {}, false, latest);
    return known->second = result.stopped ? Duration::max() : result.makespan - launch;
  }

  std::string text_of_setting(const Setting& setting) const {
    std::vector<std::string> texts;
    for (std::size_t axis = 0; axis < setting.size(); ++axis)
      texts.push_back(tuner_.axes[axis].values[setting[axis]].name);
    return fmt::format("{}", fmt::join(texts, " "));
  }

  const TunerBlock& tuner_;
  bool from_kernel_;
  Experiment experiment_;
  const PublishedCase& one_;
  const SimplestFormula& formula_;
  std::map<std::vector<std::string>, Duration> times_;  // by overrides
};

Predictions run_tuned(const PublishedTable& table, const Scenario& scenario, const CaseSelection& wanted) {
  std::vector<const PublishedCase*> cases;
  for (const PublishedCase& one : table.cases) {
    if (wanted.has(one.coordinates) && (wanted.variants || one.variant.empty())) cases.push_back(&one);
  }
  const SimplestFormula formula = SimplestFormula::read(scenario.configs);
  std::vector<std::vector<Point>> points(cases.size());
  std::mutex one_at_a_time;
  in_parallel(cases.size(), scenario.threads, [&](std::size_t i) {
    TunedCase(table, *cases[i], scenario, formula).add_points(points[i]);
    if (!wanted.seen) return;
    const std::scoped_lock lock(one_at_a_time);
    wanted.seen(points[i]);
  });
  Predictions result{table.heading, {}};
  for (std::vector<Point>& entry : points) std::ranges::move(entry, std::back_inserter(result.points));
  return result;
}

A3SIM_REGISTER(Evaluation, "tuned", "the least time among a tuner's settings, and its parts alone",
               Evaluation{run_tuned, read_tuner});

}  // namespace
}  // namespace a3sim
