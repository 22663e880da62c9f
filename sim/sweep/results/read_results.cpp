#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "sim/core/error.h"
#include "sim/sweep/open_results.h"
#include "sim/sweep/results/axis_numbers.h"
#include "sim/sweep/results/step_layouts.h"
#include "sim/sweep/results/sweep_results.h"

namespace a3sim {
namespace {

constexpr std::size_t kNoLevel = std::numeric_limits<std::size_t>::max();

// Returns a column's text on one line, in ASCII if it is not UTF-8, since other programs may have written
// it.
std::string clean_text(const SQLite::Column& column) {
  std::string text = column.getString();
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7F) c = ' ';
  }
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, ascii)) return text;
  std::string quoted = '"' + text + '"';
  std::replace_if(quoted.begin() + 1, quoted.end() - 1, ascii, ' ');
  if (!nlohmann::json::accept(quoted)) std::ranges::replace_if(text, std::not_fn(ascii), '?');
  return text;
}

// Maps a position of the sweep to the point's place in our list.
using PointOfPosition = std::map<std::int64_t, std::size_t>;

// Numbers texts from 1 on; 0 is the empty one.
class TextNumbers {
 public:
  std::size_t of(const std::string& text) {
    return text.empty() ? 0 : numbers_.try_emplace(text, numbers_.size() + 1).first->second;
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

PointOfPosition read_points(SQLite::Database& db, SweepResults& sweep) {
  SQLite::Statement rows(
      db,
      "SELECT sweep_point.position, status, error, config FROM sweep_point LEFT JOIN point "
      "ON point.id = sweep_point.point WHERE sweep = ? ORDER BY sweep_point.position");
  rows.bind(1, sweep.name);
  PointOfPosition index;
  TextNumbers layouts, works;
  while (rows.executeStep()) {
    ResultPoint point;
    point.levels.assign(sweep.axes.size(), kNoLevel);
    const std::string status = clean_text(rows.getColumn(1));
    if (status == "done") point.status = PointStatus::kDone;
    if (status == "failed") point.status = PointStatus::kFailed;
    point.error = clean_text(rows.getColumn(2));
    if (point.status == PointStatus::kDone) {
      const StepLines lines = step_lines(rows.getColumn(3).getString());
      point.layout = layouts.of(lines.layout);
      point.work = works.of(lines.work);
    }
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
  while (rows.executeStep()) sweep.axes.push_back({clean_text(rows.getColumn(0)), {}});
}

void read_coordinates(SQLite::Database& db, SweepResults& sweep, const PointOfPosition& index) {
  SQLite::Statement rows(db,
                         "SELECT position, axis, value FROM coordinate WHERE sweep = ? ORDER BY position");
  rows.bind(1, sweep.name);
  while (rows.executeStep()) {
    const auto point = index.find(rows.getColumn(0).getInt64());
    const auto axis = std::ranges::find(sweep.axes, clean_text(rows.getColumn(1)), &ResultAxis::name);
    if (point == index.end() || axis == sweep.axes.end()) continue;
    sweep.points[point->second].levels[static_cast<std::size_t>(axis - sweep.axes.begin())] =
        level_named(*axis, clean_text(rows.getColumn(2)));
  }
  for (ResultPoint& point : sweep.points) {
    for (std::size_t a = 0; a < point.levels.size(); ++a) {
      if (point.levels[a] == kNoLevel) point.levels[a] = level_named(sweep.axes[a], "");
    }
  }
}

// Sorts numbers by value, whatever order the sweep names them in.
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

// Ranks latency first, other metrics by name, and the latency's shares last.
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
    const std::string pass = clean_text(rows.getColumn(1)), name = clean_text(rows.getColumn(2));
    const std::string unit = clean_text(rows.getColumn(4));
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

// Returns what the last line `# --best N` of a sweep's text says.
std::size_t best_asked(SQLite::Database& db, const std::string& name) {
  constexpr std::string_view kLine = "\n# --best ";
  SQLite::Statement row(db, "SELECT spec FROM sweep WHERE name = ?");
  row.bind(1, name);
  if (!row.executeStep()) return 0;
  const std::string text = row.getColumn(0).getString();
  const std::size_t at = text.rfind(kLine);
  if (at == std::string::npos) return 0;
  std::size_t best = 0;
  std::from_chars(text.data() + at + kLine.size(), text.data() + text.size(), best);
  return best;
}

SweepResults read_sweep(SQLite::Database& db, const std::string& name) {
  SweepResults sweep{name, {}, {}, {}};
  sweep.best = best_asked(db, name);
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
    while (rows.executeStep()) {
      sweeps.push_back(read_sweep(db, rows.getColumn(0).getString()));
      sweeps.back().name = clean_text(rows.getColumn(0));
    }
  });
  return sweeps;
}

}  // namespace a3sim
