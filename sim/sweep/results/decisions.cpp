#include "sim/sweep/results/decisions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/sweep/results/points_view.h"

namespace a3sim {
namespace {

using Change = Decision::Change;

// Compares the metrics that sum to the latency: those of the first group below that both points have.
std::vector<Change> changes_between(const SweepResults& sweep, const ResultMetric& metric, std::size_t from,
                                    std::size_t to) {
  std::vector<Change> changes;
  if (metric.name != "latency") return changes;
  for (const std::string_view group : {"step.", "blame."}) {
    for (const ResultMetric& part : sweep.metrics) {
      if (part.pass != metric.pass || !part.name.starts_with(group)) continue;
      const double change = part.values[to] - part.values[from];
      if (!std::isnan(change) && change != 0) changes.push_back({part.name.substr(group.size()), change});
    }
    if (!changes.empty()) break;
  }
  std::ranges::stable_sort(changes, std::greater{},
                           [](const Change& change) { return std::abs(change.value); });
  return changes;
}

std::string text_of(const Decision& decision, const std::string& unit) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t c = 0; c < std::min(kShown, decision.changes.size()); ++c) {
    std::string part = decision.changes[c].part;
    std::ranges::replace(part, '_', ' ');
    constexpr double kWhole = 1000;  // from here on, digits behind the point say nothing
    const double change = decision.changes[c].value;
    const std::string value =
        fmt::format(fmt::runtime(std::abs(change) < kWhole ? "{:+.4g}" : "{:+.0f}"), change);
    text += fmt::format("{}{} {} {}", c == 0 ? "" : ", ", part, value, unit);
  }
  return text;
}

std::string value_or_none(const SweepResults& sweep, std::size_t point, std::size_t axis) {
  const std::string& value = sweep.value(point, axis);
  return value.empty() ? "none" : value;
}

std::string names_of_axes(const SweepResults& sweep, const Decision& decision) {
  std::vector<std::string> names;
  for (const std::size_t axis : decision.axes) names.push_back(sweep.axes[axis].name);
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string values_at(const SweepResults& sweep, const Decision& decision, std::size_t point) {
  std::vector<std::string> values;
  for (const std::size_t axis : decision.axes) values.push_back(value_or_none(sweep, point, axis));
  return fmt::format("{}", fmt::join(values, ", "));
}

// Returns the values of the other point on further axes where it differs from the best one.
std::string also_different(const SweepResults& sweep, const Decision& decision, std::size_t best) {
  std::vector<std::string> values;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    const bool differs = sweep.points[decision.point].levels[axis] != sweep.points[best].levels[axis];
    if (differs && std::ranges::count(decision.axes, axis) == 0)
      values.push_back(
          fmt::format("{}={}", sweep.axes[axis].name, value_or_none(sweep, decision.point, axis)));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

std::vector<Decision> decisions_of(const SweepResults& sweep, const Objective& objective, std::size_t best) {
  const std::vector<std::size_t> points = best_points(sweep, objective, sweep.points.size());
  const double value = objective.metric->values[best];
  std::vector<Decision> decisions;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    const auto other = std::ranges::find_if(points, [&](std::size_t point) {
      return sweep.points[point].levels[axis] != sweep.points[best].levels[axis];
    });
    if (other == points.end()) continue;
    const auto same = std::ranges::find(decisions, *other, &Decision::point);
    if (same != decisions.end()) {
      same->axes.push_back(axis);
      continue;
    }
    const double worse = (objective.cost(*other) - objective.cost(best)) / std::abs(value);
    decisions.push_back({{axis}, *other, worse, changes_between(sweep, *objective.metric, best, *other)});
  }
  std::ranges::stable_sort(decisions, std::greater{}, &Decision::worse);
  return decisions;
}

void add_decisions(const SweepResults& sweep, const Objective& objective, std::size_t best, Report& report) {
  const std::vector<Decision> decisions = decisions_of(sweep, objective, best);
  if (decisions.empty()) return;
  report.say("Why the best one wins: the best of all points with another value on one axis\n");
  Table& table =
      report.table_on("decisions", {Column::words("axis"), Column::words("best"), Column::words("other"),
                                    Column::words("which also has", "also"), metric_column(*objective.metric),
                                    Column::signed_percent("worse by", "worse", 2),
                                    Column::words("what takes longer there", "longer")});
  for (const Decision& decision : decisions) {
    const std::string also = also_different(sweep, decision, best);
    table.add({names_of_axes(sweep, decision), values_at(sweep, decision, best),
               values_at(sweep, decision, decision.point), also.empty() ? Cell() : Cell(also),
               metric_cell(*objective.metric, decision.point), decision.worse,
               text_of(decision, objective.metric->unit)});
  }
}

}  // namespace a3sim
