#include "sim/sweep/results/sweep_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/core/closest.h"
#include "sim/core/error.h"
#include "sim/sweep/results/axis_numbers.h"

namespace a3sim {
namespace {

template <class Items, class Name>
std::vector<std::string> names_in(const Items& items, Name name) {
  std::vector<std::string> names;
  for (const auto& item : items) {
    if (std::ranges::find(names, name(item)) == names.end()) names.push_back(name(item));
  }
  return names;
}

// Returns the closest name, and all names.
std::string known_names(std::string_view word, const std::vector<std::string>& names) {
  const std::string_view near = closest(word, names);
  return (near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near)) +
         fmt::format("; known: {}", fmt::join(names, ", "));
}

std::optional<std::size_t> level_of(const ResultAxis& axis, std::string_view value) {
  const auto same = std::ranges::find(axis.values, value);
  if (same != axis.values.end()) return static_cast<std::size_t>(same - axis.values.begin());
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    // numbers_of() refuses equal numbers: it tells that these two are equal.
    const std::string text(value);
    if (numbers_of({axis.values[i]}) && numbers_of({text}) && !numbers_of({axis.values[i], text}) &&
        numbers_of({axis.values[i]})->unit == numbers_of({text})->unit)
      return i;
  }
  return std::nullopt;
}

}  // namespace

std::size_t SweepResults::count(PointStatus status) const {
  return static_cast<std::size_t>(std::ranges::count(points, status, &ResultPoint::status));
}

std::size_t SweepResults::axis(std::string_view wanted) const {
  const auto it = std::ranges::find(axes, wanted, &ResultAxis::name);
  if (it != axes.end()) return static_cast<std::size_t>(it - axes.begin());
  throw InputError(fmt::format("sweep '{}' has no axis '{}'{}", name, wanted,
                               known_names(wanted, names_in(axes, [](const auto& a) { return a.name; }))));
}

const ResultMetric& SweepResults::metric(std::string_view pass, std::string_view wanted) const {
  std::vector<std::string> of_pass;
  for (const ResultMetric& metric : metrics) {
    if (metric.pass != pass) continue;
    if (metric.name == wanted) return metric;
    of_pass.push_back(metric.name);
  }
  if (metrics.empty()) throw RunError(fmt::format("no point of sweep '{}' is done", name));
  if (of_pass.empty()) {
    throw InputError(fmt::format("sweep '{}' has no pass '{}'{}", name, pass,
                                 known_names(pass, names_in(metrics, [](const auto& m) { return m.pass; }))));
  }
  throw InputError(fmt::format("pass '{}' of sweep '{}' has no metric '{}'{}", pass, name, wanted,
                               known_names(wanted, of_pass)));
}

const SweepResults& choose_sweep(const std::vector<SweepResults>& sweeps, std::string_view name) {
  if (sweeps.empty()) throw RunError("there is no sweep in this database yet");
  if (name.empty() && sweeps.size() == 1) return sweeps.front();
  const std::vector<std::string> names = names_in(sweeps, [](const auto& s) { return s.name; });
  if (name.empty()) {
    throw InputError(fmt::format("several sweeps are in this database, choose one with --sweep: {}",
                                 fmt::join(names, ", ")));
  }
  const auto it = std::ranges::find(sweeps, name, &SweepResults::name);
  if (it == sweeps.end())
    throw InputError(fmt::format("there is no sweep '{}'{}", name, known_names(name, names)));
  return *it;
}

SweepResults select(const SweepResults& sweep, const std::vector<std::size_t>& points) {
  SweepResults result{sweep.name, {}, {}, sweep.metrics};
  for (const std::size_t point : points) result.points.push_back(sweep.points[point]);
  for (ResultMetric& metric : result.metrics) {
    std::vector<double> values;
    for (const std::size_t point : points) values.push_back(metric.values[point]);
    metric.values = std::move(values);
  }
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    std::vector<std::size_t> renamed(sweep.axes[a].values.size(), 0);
    for (const ResultPoint& point : result.points) renamed[point.levels[a]] = 1;
    ResultAxis axis{sweep.axes[a].name, {}};
    for (std::size_t level = 0; level < renamed.size(); ++level) {
      if (renamed[level] == 0) continue;
      renamed[level] = axis.values.size();
      axis.values.push_back(sweep.axes[a].values[level]);
    }
    for (ResultPoint& point : result.points) point.levels[a] = renamed[point.levels[a]];
    result.axes.push_back(std::move(axis));
  }
  return result;
}

SweepResults where(const SweepResults& sweep, std::string_view condition) {
  const std::size_t equals = condition.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == condition.size()) {
    throw InputError(fmt::format("--where: '{}', expected AXIS=VALUE[,VALUE...], like ep=8,16", condition));
  }
  const std::size_t axis = sweep.axis(condition.substr(0, equals));
  const ResultAxis& result_axis = sweep.axes[axis];
  std::vector<bool> wanted(result_axis.values.size(), false);
  const auto want = [&](std::string_view value) {
    const std::optional<std::size_t> level = level_of(result_axis, value);
    if (level) wanted[*level] = true;
    return level.has_value();
  };
  std::string_view rest = condition.substr(equals + 1);
  // A value may itself hold commas.
  while (!rest.empty() && !want(rest)) {
    const std::string_view value = rest.substr(0, rest.find(','));
    if (!want(value)) {
      throw InputError(fmt::format("axis '{}' has no value '{}'{}", result_axis.name, value,
                                   known_names(value, result_axis.values)));
    }
    rest.remove_prefix(std::min(value.size() + 1, rest.size()));
  }
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (wanted[sweep.points[i].levels[axis]]) points.push_back(i);
  }
  return select(sweep, points);
}

}  // namespace a3sim
