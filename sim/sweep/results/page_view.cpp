#include "sim/sweep/results/page_view.h"

#include <algorithm>

#include "sim/sweep/results/effects_report.h"
#include "sim/sweep/results/points_view.h"

namespace a3sim {
namespace {

// The number of metrics that fit beside some axes in a hundred columns.
constexpr std::size_t kPageMetrics = 4;

void add_failures(const SweepResults& sweep, Report& report) {
  std::vector<Column> columns = axis_columns(sweep);
  columns.push_back(Column::words("error"));
  Table& table = report.table("failures", std::move(columns), Audience::kPrograms);
  for (std::size_t point = 0; point < sweep.points.size(); ++point) {
    if (sweep.points[point].status != PointStatus::kFailed) continue;
    std::vector<Cell> row = axis_cells(sweep, point);
    row.emplace_back(sweep.points[point].error);
    table.add(std::move(row));
  }
}

}  // namespace

std::vector<std::string> page_metrics(const SweepResults& sweep, const std::string& pass) {
  std::vector<std::string> names;
  for (const ResultMetric& metric : sweep.metrics) {
    if (metric.pass == pass && names.size() < kPageMetrics) names.push_back(metric.name);
  }
  return names;
}

std::string first_pass(const SweepResults& sweep) {
  const auto total = [](const ResultMetric& metric) { return metric.pass == "total"; };
  return sweep.metrics.empty() || std::ranges::any_of(sweep.metrics, total) ? "total"
                                                                            : sweep.metrics.front().pass;
}

std::string first_metric(const SweepResults& sweep, const std::string& pass) {
  const std::vector<std::string> names = page_metrics(sweep, pass);
  return names.empty() ? "latency" : names.front();
}

Report sweep_page(const SweepResults& sweep, const std::string& pass, const std::vector<std::string>& metrics,
                  const std::string& value, std::size_t most_failures) {
  Report report;
  report.fact("sweep", sweep.name).fact("pass", pass).fact("points", whole(sweep.points.size()));
  report.fact("done", whole(sweep.count(PointStatus::kDone)));
  report.fact("failed", whole(sweep.count(PointStatus::kFailed)));
  report.fact("not_run", whole(sweep.count(PointStatus::kNotRun)));
  report.say(counts_line(sweep));
  add_points(sweep, pass, metrics, report);
  add_failures(sweep, report);
  report.say(failures_text(sweep, most_failures));
  if (sweep.count(PointStatus::kDone) == 0) return report;
  add_effects(sweep, pass, value.empty() ? first_metric(sweep, pass) : value, report.part("effects"));
  return report;
}

Report sweeps_view(const std::vector<SweepResults>& sweeps) {
  Report report;
  Table& table =
      report.table(kResultRows, {Column::words("sweep"), Column::count("points"), Column::count("done"),
                                 Column::count("failed"), Column::count("not run", "not_run")});
  for (const SweepResults& sweep : sweeps) {
    table.add({sweep.name, whole(sweep.points.size()), whole(sweep.count(PointStatus::kDone)),
               whole(sweep.count(PointStatus::kFailed)), whole(sweep.count(PointStatus::kNotRun))});
  }
  report.say(sweeps.empty() ? "no sweep has begun on this database\n" : "--sweep NAME shows one of them\n");
  return report;
}

}  // namespace a3sim
