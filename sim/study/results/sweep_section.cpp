#include "sim/study/results/sweep_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
#include "sim/study/results/figures.h"
#include "sim/study/results/page_view.h"
#include "sim/study/results/points_view.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOneLine = "one line";
// Each figure is drawn before anyone asks for it; more of them make a page that is slow to open.
constexpr std::size_t kMostFigures = 2000, kMostRows = 5000;

// Axes that a figure may be drawn over.
std::vector<std::string> drawn_axes(const SweepResults& sweep) {
  std::vector<std::string> names;
  for (const ResultAxis& axis : sweep.axes) {
    if (axis.values.size() > 1) names.push_back(axis.name);
  }
  return names;
}

std::vector<std::string> passes_of(const SweepResults& sweep) {
  std::vector<std::string> passes;
  for (const ResultMetric& metric : sweep.metrics) {
    if (std::ranges::find(passes, metric.pass) == passes.end()) passes.push_back(metric.pass);
  }
  // The sum of all passes comes first.
  std::ranges::stable_partition(passes, [](const std::string& pass) { return pass == "total"; });
  return passes;
}

std::vector<const ResultMetric*> drawn_metrics(const SweepResults& sweep, const std::string& pass) {
  std::vector<const ResultMetric*> metrics;
  for (const std::string& name : page_metrics(sweep, pass)) metrics.push_back(&sweep.metric(pass, name));
  return metrics;
}

// Figures that one of a page's choices each leads to.
class Choices {
 public:
  Choices(std::string title, Json choices)
      : section_{{"kind", "choices"},
                 {"title", std::move(title)},
                 {"choices", std::move(choices)},
                 {"figures", Json::array()}} {}

  // What cannot be drawn (no point is done, too many lines) is no choice.
  template <class Draw>
  void add(Json of, Draw&& draw) {
    Json& figures = section_["figures"];
    if (figures.size() >= kMostFigures) return;
    try {
      figures.push_back({{"of", std::move(of)}, {"figure", figure_json(draw())}});
    } catch (const InputError&) {
      return;
    }
  }

  void add_to(Page& page) {
    if (!section_["figures"].empty()) page.add(std::move(section_));
  }

 private:
  Json section_;
};

Json choice(std::string_view name, std::string_view label) { return {{"name", name}, {"label", label}}; }

void add_lines(Page& page, const SweepResults& sweep) {
  Choices choices("Lines", Json::array({choice("y", "show"), choice("pass", "pass"), choice("x", "over"),
                                        choice("series", "a line for each")}));
  std::vector<std::string> axes = drawn_axes(sweep), series = axes;
  series.insert(series.begin(), kOneLine);
  for (const std::string& pass : passes_of(sweep)) {
    for (const ResultMetric* metric : drawn_metrics(sweep, pass)) {
      for (const std::string& x : axes) {
        for (const std::string& of : series) {
          if (of == x) continue;
          choices.add({{"y", metric->name}, {"pass", pass}, {"x", x}, {"series", of}},
                      [&] { return lines_figure(sweep, *metric, x, of == kOneLine ? "" : of); });
        }
      }
    }
  }
  choices.add_to(page);
}

void add_heat(Page& page, const SweepResults& sweep) {
  Choices choices("Heat map", Json::array({choice("value", "show"), choice("pass", "pass"),
                                           choice("rows", "down"), choice("columns", "across")}));
  const std::vector<std::string> axes = drawn_axes(sweep);
  for (const std::string& pass : passes_of(sweep)) {
    for (const ResultMetric* metric : drawn_metrics(sweep, pass)) {
      for (const std::string& rows : axes) {
        for (const std::string& columns : axes) {
          if (rows == columns) continue;
          choices.add({{"value", metric->name}, {"pass", pass}, {"rows", rows}, {"columns", columns}},
                      [&] { return heat_figure(sweep, *metric, rows, columns); });
        }
      }
    }
  }
  choices.add_to(page);
}

bool larger_is_better(const std::string& metric) {
  return metric.find("hit") != std::string::npos || metric.find("busy") != std::string::npos ||
         metric.find("speedup") != std::string::npos;
}

void add_fronts(Page& page, const SweepResults& sweep) {
  Choices choices("Pareto front", Json::array({choice("y", "show"), choice("x", "against"),
                                               choice("pass", "pass"), choice("series", "colours by")}));
  std::vector<std::string> series = drawn_axes(sweep);
  series.insert(series.begin(), "nothing");
  for (const std::string& pass : passes_of(sweep)) {
    for (const ResultMetric* x : drawn_metrics(sweep, pass)) {
      for (const ResultMetric* y : drawn_metrics(sweep, pass)) {
        if (x == y) continue;
        for (const std::string& of : series) {
          choices.add({{"y", y->name}, {"x", x->name}, {"pass", pass}, {"series", of}}, [&] {
            return pareto_figure(sweep, {{x, larger_is_better(x->name)}, {y, larger_is_better(y->name)}},
                                 of == series.front() ? "" : of);
          });
        }
      }
    }
  }
  choices.add_to(page);
}

}  // namespace

void add_sweep(Page& page, const SweepResults& sweep) {
  const std::string pass = passes_of(sweep).empty() ? "total" : passes_of(sweep).front();
  page.add(sweep.name, PageBlocks().report(sweep_page(sweep, pass, page_metrics(sweep, pass), "", 40)));
  add_lines(page, sweep);
  add_heat(page, sweep);
  add_fronts(page, sweep);
  if (sweep.points.size() > kMostRows) return;
  Report points;
  for (const std::string& of : passes_of(sweep)) add_points(sweep, of, {}, points);
  page.add("All points of " + sweep.name, PageBlocks().report(points), true);
}

}  // namespace a3sim
