#include "sim/study/results/points_view.h"

#include <fmt/format.h>

#include <cmath>

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

}  // namespace

std::vector<std::string> axis_names(const SweepResults& sweep) {
  std::vector<std::string> names;
  for (const ResultAxis& axis : sweep.axes) names.push_back(axis.name);
  return names;
}

std::vector<ResultCell> axis_cells(const SweepResults& sweep, std::size_t point) {
  std::vector<ResultCell> cells;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    const std::string& value = sweep.value(point, axis);
    cells.push_back(value.empty() ? ResultCell{} : ResultCell{value});
  }
  return cells;
}

ResultCell metric_cell(const ResultMetric& metric, std::size_t point) {
  const double value = metric.values[point];
  return std::isnan(value) ? ResultCell{} : ResultCell{value};
}

ResultView points_view(const SweepResults& sweep, const std::string& pass,
                       const std::vector<std::string>& names) {
  const std::vector<const ResultMetric*> metrics = chosen_metrics(sweep, pass, names);
  ResultView view;
  view.json = {{"sweep", sweep.name}, {"pass", pass}};
  view.table.columns = axis_names(sweep);
  view.table.columns.emplace_back("status");
  for (const ResultMetric* metric : metrics)
    view.table.columns.push_back(heading(metric->name, metric->unit));
  for (std::size_t point = 0; point < sweep.points.size(); ++point) {
    std::vector<ResultCell> row = axis_cells(sweep, point);
    row.emplace_back(name_of_status(sweep.points[point].status));
    for (const ResultMetric* metric : metrics) row.push_back(metric_cell(*metric, point));
    view.table.rows.push_back(std::move(row));
  }
  return view;
}

std::string counts_line(const SweepResults& sweep) {
  return fmt::format("{}: {} points, {} done, {} failed, {} not yet run\n", sweep.name, sweep.points.size(),
                     sweep.count(PointStatus::kDone), sweep.count(PointStatus::kFailed),
                     sweep.count(PointStatus::kNotRun));
}

nlohmann::ordered_json counts_json(const SweepResults& sweep) {
  return {{"name", sweep.name},
          {"points", sweep.points.size()},
          {"done", sweep.count(PointStatus::kDone)},
          {"failed", sweep.count(PointStatus::kFailed)},
          {"not_run", sweep.count(PointStatus::kNotRun)}};
}

std::string failures_text(const SweepResults& sweep, std::size_t most) {
  std::string text;
  std::size_t shown = 0;
  for (std::size_t point = 0; point < sweep.points.size(); ++point) {
    if (sweep.points[point].status != PointStatus::kFailed || ++shown > most) continue;
    std::string where;
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
      where +=
          fmt::format("{}{}={}", where.empty() ? "" : " ", sweep.axes[axis].name, sweep.value(point, axis));
    }
    text += fmt::format("failed: {}: {}\n", where, sweep.points[point].error);
  }
  if (shown > most) text += fmt::format("… {} more failed: --all shows them\n", shown - most);
  return text;
}

}  // namespace a3sim
