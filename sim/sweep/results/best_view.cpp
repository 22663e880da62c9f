#include "sim/sweep/results/best_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "sim/core/error.h"
#include "sim/experiment/metric.h"
#include "sim/sweep/results/decisions.h"
#include "sim/sweep/results/points_view.h"

namespace a3sim {
namespace {

constexpr std::string_view kLarger = "max:", kSmaller = "min:";

std::vector<std::size_t> points_with_all(const SweepResults& sweep,
                                         const std::vector<Objective>& objectives) {
  std::vector<std::size_t> points;
  for (std::size_t point = 0; point < sweep.points.size(); ++point) {
    const auto known = [point](const Objective& o) { return !std::isnan(o.metric->values[point]); };
    if (std::ranges::all_of(objectives, known)) points.push_back(point);
  }
  return points;
}

void add_rows(Table& table, const SweepResults& sweep, const std::vector<Objective>& objectives,
              const std::vector<std::size_t>& points) {
  for (const std::size_t point : points) {
    std::vector<Cell> row = axis_cells(sweep, point);
    for (const Objective& objective : objectives) row.push_back(metric_cell(*objective.metric, point));
    table.add(std::move(row));
  }
}

// Adds a table of points below the text `before`.
Table& begin(Report& report, const SweepResults& sweep, const std::vector<Objective>& objectives,
             const std::string& before) {
  report.fact("sweep", sweep.name).fact("pass", objectives.front().metric->pass).say(before);
  std::vector<Column> columns = axis_columns(sweep);
  for (const Objective& objective : objectives) columns.push_back(metric_column(*objective.metric));
  return report.table(kResultRows, std::move(columns));
}

// True if a is as good in all objectives, and better in one.
bool beats(const std::vector<Objective>& objectives, std::size_t a, std::size_t b) {
  bool better = false;
  for (const Objective& objective : objectives) {
    if (objective.cost(a) > objective.cost(b)) return false;
    better = better || objective.cost(a) < objective.cost(b);
  }
  return better;
}

// Returns the direction of a metric of which none is asked for: fewer tokens per second are not better.
bool is_better_larger(std::string_view name) {
  const Metric* const known = Metrics::find(name);
  return known && known->better == Metric::Better::kLarger;
}

std::string names_of(const std::vector<Objective>& objectives) {
  std::string text;
  for (const Objective& objective : objectives) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", objective.larger ? "larger" : "smaller",
                        objective.metric->name);
  }
  return text;
}

}  // namespace

Objective objective_of(const SweepResults& sweep, const std::string& pass, std::string text) {
  std::optional<bool> larger;
  if (text.starts_with(kLarger) || text.starts_with('-')) {
    larger = true;
    text.erase(0, text.front() == '-' ? 1 : kLarger.size());
  } else if (text.starts_with(kSmaller)) {
    larger = false;
    text.erase(0, kSmaller.size());
  }
  return {&sweep.metric(pass, text), larger.value_or(is_better_larger(text))};
}

std::vector<std::size_t> best_points(const SweepResults& sweep, const Objective& objective,
                                     std::size_t most) {
  std::vector<std::size_t> points = points_with_all(sweep, {objective});
  std::ranges::stable_sort(points, {}, [&](std::size_t point) { return objective.cost(point); });
  points.resize(std::min(points.size(), most));
  return points;
}

Report best_view(const SweepResults& sweep, const Objective& objective, std::size_t most,
                 const std::string& per, const std::vector<std::string>& beside) {
  Report report;
  std::vector<Objective> shown{objective};
  for (const std::string& name : beside) {
    const ResultMetric& metric = sweep.metric(objective.metric->pass, name);
    if (&metric != objective.metric) shown.push_back({&metric, false});
  }
  Table& table = begin(
      report, sweep, shown,
      fmt::format("{}: {}{}{}\n", sweep.name, names_of({objective}), per.empty() ? "" : ", for each ", per));
  if (per.empty()) {
    const std::vector<std::size_t> points = best_points(sweep, objective, most);
    add_rows(table, sweep, shown, points);
    if (!points.empty()) add_decisions(sweep, objective, points.front(), report);
    return report;
  }
  const std::size_t axis = sweep.axis(per);
  const std::vector<std::size_t> all = best_points(sweep, objective, sweep.points.size());
  for (std::size_t level = 0; level < sweep.axes[axis].values.size(); ++level) {
    std::vector<std::size_t> points;
    for (const std::size_t point : all) {
      if (sweep.points[point].levels[axis] == level && points.size() < most) points.push_back(point);
    }
    add_rows(table, sweep, shown, points);
  }
  return report;
}

std::vector<std::size_t> pareto_front(const SweepResults& sweep, const std::vector<Objective>& objectives) {
  std::vector<std::size_t> points = points_with_all(sweep, objectives);
  const auto costs = [&](std::size_t point) {
    std::vector<double> all;
    for (const Objective& objective : objectives) all.push_back(objective.cost(point));
    return all;
  };
  std::ranges::stable_sort(points, {}, costs);
  // Every point that beats another stands before it. So does one of the front that beats both.
  std::vector<std::size_t> front;
  for (const std::size_t point : points) {
    const auto beats_it = [&](std::size_t other) { return beats(objectives, other, point); };
    if (std::ranges::none_of(front, beats_it)) front.push_back(point);
  }
  return front;
}

Report pareto_view(const SweepResults& sweep, const std::vector<Objective>& objectives) {
  if (objectives.size() < 2) throw InputError("--pareto: expected two metrics or more, like latency,sent");
  const std::vector<std::size_t> front = pareto_front(sweep, objectives);
  Report report;
  Table& table =
      begin(report, sweep, objectives,
            fmt::format("{}: {} points that no other beats, of {} ({})\n", sweep.name, front.size(),
                        points_with_all(sweep, objectives).size(), names_of(objectives)));
  add_rows(table, sweep, objectives, front);
  return report;
}

}  // namespace a3sim
