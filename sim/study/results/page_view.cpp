#include "sim/study/results/page_view.h"

#include <fmt/format.h>

#include "sim/study/results/conclusion.h"
#include "sim/study/results/points_view.h"

namespace a3sim {
namespace {

// Beside some axes, in a hundred columns.
constexpr std::size_t kPageMetrics = 4;

nlohmann::ordered_json failures_json(const SweepResults& sweep) {
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  for (std::size_t point = 0; point < sweep.points.size(); ++point) {
    if (sweep.points[point].status != PointStatus::kFailed) continue;
    nlohmann::ordered_json at = nlohmann::ordered_json::object();
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
      at[sweep.axes[axis].name] = sweep.value(point, axis);
    failures.push_back({{"at", std::move(at)}, {"error", sweep.points[point].error}});
  }
  return failures;
}

}  // namespace

std::vector<std::string> page_metrics(const SweepResults& sweep, const std::string& pass) {
  std::vector<std::string> names;
  for (const ResultMetric& metric : sweep.metrics) {
    if (metric.pass == pass && names.size() < kPageMetrics) names.push_back(metric.name);
  }
  return names;
}

ResultView sweep_page(const SweepResults& sweep, const std::string& pass,
                      const std::vector<std::string>& metrics, const std::string& value,
                      std::size_t most_failures) {
  ResultView view = points_view(sweep, pass, metrics);
  view.before = counts_line(sweep);
  view.after = failures_text(sweep, most_failures);
  view.json["counts"] = counts_json(sweep);
  view.json["failures"] = failures_json(sweep);
  view.json["conclusion"] = nullptr;
  if (sweep.count(PointStatus::kDone) == 0) {
    view.after += "Conclusion: none, as no point is done\n";
    return view;
  }
  std::vector<std::string> names = page_metrics(sweep, pass);
  const Conclusion conclusion = conclude(sweep, pass,
                                         !value.empty()  ? value
                                         : names.empty() ? "latency"
                                                         : names.front());
  view.after += (view.after.empty() ? "" : "\n") + conclusion.text;
  view.json["conclusion"] = conclusion.json;
  return view;
}

ResultView sweeps_view(const std::vector<SweepResults>& sweeps) {
  ResultView view;
  view.table.columns = {"sweep", "points", "done", "failed", "not run"};
  const auto number = [](std::size_t count) { return ResultCell{fmt::format("{}", count)}; };
  for (const SweepResults& sweep : sweeps) {
    view.table.rows.push_back(
        {sweep.name, number(sweep.points.size()), number(sweep.count(PointStatus::kDone)),
         number(sweep.count(PointStatus::kFailed)), number(sweep.count(PointStatus::kNotRun))});
  }
  view.after = sweeps.empty() ? "no sweep has begun on this database\n" : "--sweep NAME shows one of them\n";
  return view;
}

}  // namespace a3sim
