#include "sim/sweep/results/sweep_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/experiment/metric.h"
#include "sim/sweep/results/axis_numbers.h"
#include "sim/sweep/results/effects_report.h"
#include "sim/sweep/results/page_view.h"
#include "sim/sweep/results/points_view.h"
#include "sim/sweep/results/step_layouts.h"

namespace a3sim {
namespace {

using SweepJson = nlohmann::ordered_json;

// In the first table, which the page shows at once.
constexpr std::size_t kMostFailures = 8;

SweepJson sweep_axes_json(const SweepResults& sweep) {
  SweepJson list = SweepJson::array();
  for (const ResultAxis& axis : sweep.axes) {
    const auto numbers = numbers_of(axis.values);
    list.push_back({{"name", axis.name},
                    {"unit", numbers ? numbers->unit : ""},
                    {"values", axis.values},
                    {"numbers", numbers ? SweepJson(numbers->values) : SweepJson()}});
  }
  return list;
}

// Returns the metric's own direction; a database may hold a metric that this program does not know.
std::string_view better_of(const ResultMetric& metric) {
  const Metric* known = Metrics::find(metric.name);
  if (!known || known->better == Metric::Better::kNeither) return "";
  return known->better == Metric::Better::kLarger ? "larger" : "smaller";
}

SweepJson sweep_metrics_json(const SweepResults& sweep) {
  SweepJson list = SweepJson::array();
  for (const ResultMetric& metric : sweep.metrics)
    list.push_back(
        {{"pass", metric.pass}, {"name", metric.name}, {"unit", metric.unit}, {"better", better_of(metric)}});
  return list;
}

// Packs the positions on the axes and the values of all done points: two lists of columns. Numbers have as
// many digits as in tables of results.
std::string sweep_columns(const SweepResults& sweep) {
  std::vector<std::size_t> done;
  for (std::size_t p = 0; p < sweep.points.size(); ++p) {
    if (sweep.points[p].status == PointStatus::kDone) done.push_back(p);
  }
  std::string text = "{\"levels\":[";
  const auto add_list = [&](const char* before, auto&& cell) {
    text += before;
    text += '[';
    for (std::size_t i = 0; i < done.size(); ++i) text += (i > 0 ? "," : "") + cell(done[i]);
    text += ']';
  };
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
    add_list(axis > 0 ? "," : "",
             [&](std::size_t p) { return std::to_string(sweep.points[p].levels[axis]); });
  text += "],\"values\":[";
  for (std::size_t m = 0; m < sweep.metrics.size(); ++m) {
    add_list(m > 0 ? "," : "", [&](std::size_t p) {
      const double value = sweep.metrics[m].values[p];
      return std::isfinite(value) ? fmt::format("{:.9g}", value) : std::string("null");
    });
  }
  return text + "]}";
}

SweepJson axes_by_effect(const Effects& effects) {
  SweepJson list = SweepJson::array();
  for (const AxisEffect& effect : effects.axes) {
    list.push_back(effect.axis);
  }
  return list;
}

// Makes one paragraph of a sentence that a terminal shows on several lines.
std::string on_one_line(std::string text) {
  std::size_t at = 0;
  while ((at = text.find("\n  ", at)) != std::string::npos) text.replace(at, 3, "; ");
  return text.empty() ? text : text + ".";
}

}  // namespace

void add_sweep(Page& page, const SweepResults& sweep) {
  const std::string pass = first_pass(sweep), metric = first_metric(sweep, pass);
  const bool any = sweep.count(PointStatus::kDone) > 0;
  const AxesThatMatter axes = any ? axes_that_matter(sweep, pass, metric) : AxesThatMatter();
  page.add({{"kind", "sweep"},
            {"title", sweep.name},
            {"axes", sweep_axes_json(sweep)},
            {"metrics", sweep_metrics_json(sweep)},
            {"points", sweep.points.size()},
            {"done", sweep.count(PointStatus::kDone)},
            {"best", sweep.best},
            {"by_effect", axes_by_effect(axes.effects)},
            {"matters", on_one_line(axes.text)},
            {"packed", page.pack(sweep_columns(sweep))}});
  Report report;
  report.say(counts_line(sweep));
  report.say(failures_text(sweep, kMostFailures));
  if (const auto lead = lead_of_best(sweep, pass)) add_layout_lead(*lead, report);
  if (any) add_effects(sweep, pass, metric, report.part("effects"), Audience::kPeople);
  page.add(sweep.name + ": what matters", PageBlocks().report(report));
}

}  // namespace a3sim
