#include "sim/sweep/results/points_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ranges>
#include <string>
#include <vector>

#include "sim/core/config/decimal.h"

namespace a3sim {
namespace {

std::string name_of_status(PointStatus status) {
  switch (status) {
    case PointStatus::kDone:
      return "done";
    case PointStatus::kFailed:
      return "failed";
    default:
      return "not run";
  }
}

std::vector<const ResultMetric*> chosen_metrics(const SweepResults& sweep, const std::string& pass,
                                                const std::vector<std::string>& names) {
  std::vector<const ResultMetric*> metrics;
  for (const std::string& name : names) metrics.push_back(&sweep.metric(pass, name));
  if (!names.empty()) return metrics;
  for (const ResultMetric& metric : sweep.metrics) {
    if (metric.pass == pass) metrics.push_back(&metric);
  }
  return metrics;
}

// Returns true if the whole text is a number, without a unit.
bool is_number_alone(const std::string& text) {
  double number = 0;
  return !text.empty() && leading_decimal(text).size() == text.size() && decimal_double(text, number);
}

bool has_numbers_alone(const ResultAxis& axis) {
  return std::ranges::all_of(axis.values,
                             [](const std::string& v) { return v.empty() || is_number_alone(v); });
}

Cell number_cell(const std::string& text) {
  if (text.empty()) return {};
  if (std::int64_t whole_number = 0; decimal_integer(text, whole_number)) return whole_number;
  double number = 0;
  decimal_double(text, number);
  return number;
}

}  // namespace

std::string heading(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

std::string metric_key(const std::string& name, const std::string& unit) {
  std::string key = name;
  if (!unit.empty()) key += unit == "%" ? "_percent" : "_" + unit;
  for (char& c : key) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return key;
}

Column metric_column(const ResultMetric& metric) {
  Column column = Column::words(heading(metric.name, metric.unit), metric_key(metric.name, metric.unit));
  column.form = Form::kSignificant;
  return column;
}

std::vector<Column> axis_columns(const SweepResults& sweep) {
  std::vector<Column> columns;
  for (const ResultAxis& axis : sweep.axes) {
    columns.push_back(Column::words(axis.name).for_people());
    columns.push_back(Column::data(axis.name));
  }
  return columns;
}

std::vector<Cell> axis_cells(const SweepResults& sweep, std::size_t point) {
  std::vector<Cell> cells;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    const std::string& value = sweep.value(point, axis);
    cells.push_back(value.empty() ? Cell() : Cell(value));
    cells.push_back(has_numbers_alone(sweep.axes[axis]) ? number_cell(value) : cells.back());
  }
  return cells;
}

Cell metric_cell(const ResultMetric& metric, std::size_t point) {
  const double value = metric.values[point];
  return std::isnan(value) ? Cell() : Cell(value);
}

void add_points(const SweepResults& sweep, const std::string& pass, const std::vector<std::string>& names,
                Report& report) {
  const std::vector<const ResultMetric*> metrics = chosen_metrics(sweep, pass, names);
  std::vector<Column> columns = axis_columns(sweep);
  columns.push_back(Column::words("status"));
  for (const ResultMetric* metric : metrics) columns.push_back(metric_column(*metric));
  Table& table = report.table(kResultRows, std::move(columns));
  for (std::size_t point = 0; point < sweep.points.size(); ++point) {
    std::vector<Cell> row = axis_cells(sweep, point);
    row.emplace_back(name_of_status(sweep.points[point].status));
    for (const ResultMetric* metric : metrics) row.push_back(metric_cell(*metric, point));
    table.add(std::move(row));
  }
}

std::string counts_line(const SweepResults& sweep) {
  return fmt::format("{}: {} points, {} done, {} failed, {} not yet run\n", sweep.name, sweep.points.size(),
                     sweep.count(PointStatus::kDone), sweep.count(PointStatus::kFailed),
                     sweep.count(PointStatus::kNotRun));
}

std::string missing_text(const SweepResults& sweep) {
  const std::size_t missing = sweep.points.size() - sweep.count(PointStatus::kDone);
  if (missing == 0) return {};
  const std::string better =
      sweep.best == 0
          ? "among which better ones may be"
          : fmt::format("of which none is among the {} best, once the sweep has ended", sweep.best);
  return fmt::format("{} of {} points are done: {} missing, {}\n", sweep.count(PointStatus::kDone),
                     sweep.points.size(), missing == 1 ? "1 is" : fmt::format("{} are", missing), better);
}

std::string failures_text(const SweepResults& sweep, std::size_t most) {
  struct EqualFailures {
    std::string error, first;
    std::size_t count = 0;
  };
  std::vector<EqualFailures> errors;
  for (std::size_t point = 0; point < sweep.points.size(); ++point) {
    if (sweep.points[point].status != PointStatus::kFailed) continue;
    const std::string& error = sweep.points[point].error;
    const bool each = most >= sweep.points.size();
    auto known = each ? errors.end() : std::ranges::find(errors, error, &EqualFailures::error);
    if (known == errors.end()) {
      known = errors.insert(errors.end(), {error, "", 0});
      for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
        known->first +=
            fmt::format("{}{}={}", axis == 0 ? "" : " ", sweep.axes[axis].name, sweep.value(point, axis));
    }
    ++known->count;
  }
  std::string text;
  for (const EqualFailures& failures : errors | std::views::take(most)) {
    text += fmt::format("failed: {}{}: {}\n", failures.first,
                        failures.count > 1 ? fmt::format(", and {} more", failures.count - 1) : "",
                        failures.error);
  }
  if (errors.size() > most)
    text += fmt::format("… {} other errors: --all shows them\n", errors.size() - most);
  return text;
}

}  // namespace a3sim
