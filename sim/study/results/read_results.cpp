#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "sim/core/error.h"
#include "sim/study/results/axis_numbers.h"
#include "sim/study/results/open_results.h"
#include "sim/study/results/sweep_results.h"

namespace a3sim {
namespace {

constexpr std::size_t kNoLevel = std::numeric_limits<std::size_t>::max();

// Where the point of a sweep's position stands in our list.
using PointOfPosition = std::map<std::int64_t, std::size_t>;

PointOfPosition read_points(SQLite::Database& db, SweepResults& sweep) {
  SQLite::Statement rows(db,
                         "SELECT sweep_point.position, status, error FROM sweep_point LEFT JOIN point "
                         "ON point.id = sweep_point.point WHERE sweep = ? ORDER BY sweep_point.position");
  rows.bind(1, sweep.name);
  PointOfPosition index;
  while (rows.executeStep()) {
    ResultPoint point;
    point.levels.assign(sweep.axes.size(), kNoLevel);
    const std::string status = rows.getColumn(1).getString();
    if (status == "done") point.status = PointStatus::kDone;
    if (status == "failed") point.status = PointStatus::kFailed;
    point.error = rows.getColumn(2).getString();
    index.emplace(rows.getColumn(0).getInt64(), sweep.points.size());
    sweep.points.push_back(std::move(point));
  }
  return index;
}

std::size_t level_named(ResultAxis& axis, const std::string& value) {
  const auto it = std::ranges::find(axis.values, value);
  if (it != axis.values.end()) return static_cast<std::size_t>(it - axis.values.begin());
  axis.values.push_back(value);
  return axis.values.size() - 1;
}

void read_axes(SQLite::Database& db, SweepResults& sweep) {
  SQLite::Statement rows(db, "SELECT name FROM axis WHERE sweep = ? ORDER BY position");
  rows.bind(1, sweep.name);
  while (rows.executeStep()) sweep.axes.push_back({rows.getColumn(0).getString(), {}});
}

void read_coordinates(SQLite::Database& db, SweepResults& sweep, const PointOfPosition& index) {
  SQLite::Statement rows(db,
                         "SELECT position, axis, value FROM coordinate WHERE sweep = ? ORDER BY position");
  rows.bind(1, sweep.name);
  while (rows.executeStep()) {
    const auto point = index.find(rows.getColumn(0).getInt64());
    const auto axis = std::ranges::find(sweep.axes, rows.getColumn(1).getString(), &ResultAxis::name);
    if (point == index.end() || axis == sweep.axes.end()) continue;
    sweep.points[point->second].levels[static_cast<std::size_t>(axis - sweep.axes.begin())] =
        level_named(*axis, rows.getColumn(2).getString());
  }
  for (ResultPoint& point : sweep.points) {
    for (std::size_t a = 0; a < point.levels.size(); ++a) {
      if (point.levels[a] == kNoLevel) point.levels[a] = level_named(sweep.axes[a], "");
    }
  }
}

// Numbers in their order, whatever order the sweep names them in.
void sort_levels(SweepResults& sweep, std::size_t axis) {
  std::vector<std::string>& values = sweep.axes[axis].values;
  const std::optional<AxisNumbers> numbers = numbers_of(values);
  if (!numbers) return;
  std::vector<std::size_t> order(values.size()), rank(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return numbers->values[i]; });
  std::vector<std::string> sorted;
  for (const std::size_t level : order) {
    rank[level] = sorted.size();
    sorted.push_back(values[level]);
  }
  values = std::move(sorted);
  for (ResultPoint& point : sweep.points) point.levels[axis] = rank[point.levels[axis]];
}

// Latency first, then by name, the latency's shares last.
std::tuple<int, std::string, std::string> rank_of(const ResultMetric& metric) {
  const int group = metric.name == "latency" ? 0 : metric.name.starts_with("blame.") ? 2 : 1;
  return {group, metric.name, metric.pass};
}

void read_metrics(SQLite::Database& db, SweepResults& sweep, const PointOfPosition& index) {
  SQLite::Statement rows(db,
                         "SELECT sweep_point.position, pass, metric.name, value, unit FROM sweep_point "
                         "JOIN point ON point.id = sweep_point.point AND status = 'done' "
                         "JOIN metric ON metric.point = point.id WHERE sweep = ? ORDER BY 1");
  rows.bind(1, sweep.name);
  std::map<std::pair<std::string, std::string>, ResultMetric> metrics;
  while (rows.executeStep()) {
    const std::string pass = rows.getColumn(1).getString(), name = rows.getColumn(2).getString();
    const std::string unit = rows.getColumn(4).getString();
    const auto [it, first] = metrics.try_emplace({pass, name}, ResultMetric{pass, name, unit, {}});
    ResultMetric& metric = it->second;
    if (first) metric.values.assign(sweep.points.size(), std::numeric_limits<double>::quiet_NaN());
    if (metric.unit != unit) {
      throw InputError(fmt::format("sweep '{}': metric '{}' has values in '{}' and in '{}'", sweep.name, name,
                                   metric.unit, unit));
    }
    metric.values[index.at(rows.getColumn(0).getInt64())] = rows.getColumn(3).getDouble();
  }
  for (auto& [key, metric] : metrics) sweep.metrics.push_back(std::move(metric));
  std::ranges::sort(sweep.metrics, {}, rank_of);
}

SweepResults read_sweep(SQLite::Database& db, const std::string& name) {
  SweepResults sweep{name, {}, {}, {}};
  read_axes(db, sweep);
  const PointOfPosition index = read_points(db, sweep);
  read_coordinates(db, sweep, index);
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) sort_levels(sweep, axis);
  read_metrics(db, sweep, index);
  return sweep;
}

}  // namespace

std::vector<SweepResults> read_results(const std::filesystem::path& file) {
  std::vector<SweepResults> sweeps;
  with_results(file, [&](SQLite::Database& db) {
    sweeps.clear();
    SQLite::Statement rows(db, "SELECT name FROM sweep ORDER BY name");
    while (rows.executeStep()) sweeps.push_back(read_sweep(db, rows.getColumn(0).getString()));
  });
  return sweeps;
}

}  // namespace a3sim
