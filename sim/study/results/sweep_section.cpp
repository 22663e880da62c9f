#include "sim/study/results/sweep_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/study/metrics/metric.h"
#include "sim/study/results/figures.h"
#include "sim/study/results/page_view.h"
#include "sim/study/results/points_view.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOneLine = "one line";
// Each figure is drawn before anyone asks for it: with more points than this in all of a kind's figures, a page is
// slow to open.
constexpr std::size_t kMostDrawn = 200'000, kMostRows = 5000;

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

std::vector<const ResultMetric*> metrics_of(const SweepResults& sweep, const std::string& pass) {
  std::vector<const ResultMetric*> metrics;
  for (const ResultMetric& metric : sweep.metrics) {
    if (metric.pass == pass) metrics.push_back(&metric);
  }
  return metrics;
}

// What the metric says of itself; a database may have one that this program does not know.
Metric::Better better(const ResultMetric& metric) {
  const Metric* known = Metrics::find(metric.name);
  return known ? known->better : Metric::Better::kNeither;
}

std::vector<Objective> aims_of(const SweepResults& sweep, const std::string& pass) {
  std::vector<Objective> aims;
  for (const ResultMetric* metric : metrics_of(sweep, pass)) {
    if (better(*metric) != Metric::Better::kNeither)
      aims.push_back({metric, better(*metric) == Metric::Better::kLarger});
  }
  return aims;
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
  void add(Json json, Draw&& draw) {
    if (drawn_ > kMostDrawn) {
      ++left_out_;
      return;
    }
    try {
      const Figure figure = draw();
      drawn_ += figure.cells.size();
      for (const FigureSeries& series : figure.series) drawn_ += series.points.size();
      section_["figures"].push_back({{"of", std::move(json)}, {"figure", figure_json(figure)}});
    } catch (const InputError&) {
      return;
    }
  }

  void add_to(Page& page) {
    if (section_["figures"].empty()) return;
    if (left_out_ > 0)
      section_["note"] = fmt::format(
          "{} more figures would make this page slow to open: 'a3sim results DB --csv' prints all points.",
          left_out_);
    page.add(std::move(section_));
  }

 private:
  Json section_;
  std::size_t drawn_ = 0, left_out_ = 0;  // points and cells; figures
};

Json choice(std::string_view name, std::string_view label) { return {{"name", name}, {"label", label}}; }

void add_lines(Page& page, const SweepResults& sweep) {
  Choices choices("Lines", Json::array({choice("y", "show"), choice("pass", "pass"), choice("x", "over"),
                                        choice("series", "a line for each")}));
  // The first figure is what the page opens with: the first axis, a line for each value of the second.
  std::vector<std::string> axes = drawn_axes(sweep), series = axes;
  series.emplace_back(kOneLine);
  for (const std::string& pass : passes_of(sweep)) {
    for (const ResultMetric* metric : metrics_of(sweep, pass)) {
      for (const std::string& x : axes) {
        for (const std::string& name : series) {
          if (name == x) continue;
          choices.add({{"y", metric->name}, {"pass", pass}, {"x", x}, {"series", name}},
                      [&] { return lines_figure(sweep, *metric, x, name == kOneLine ? "" : name); });
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
    for (const ResultMetric* metric : metrics_of(sweep, pass)) {
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

void add_fronts(Page& page, const SweepResults& sweep) {
  Choices choices("Pareto front", Json::array({choice("y", "show"), choice("x", "against"),
                                               choice("pass", "pass"), choice("series", "colours by")}));
  std::vector<std::string> series = drawn_axes(sweep);
  series.insert(series.begin(), "nothing");
  for (const std::string& pass : passes_of(sweep)) {
    const std::vector<Objective> aims = aims_of(sweep, pass);
    for (const std::string& name : series) {
      for (const Objective& x : aims) {
        for (const Objective& y : aims) {
          if (x.metric == y.metric) continue;
          choices.add({{"y", y.metric->name}, {"x", x.metric->name}, {"pass", pass}, {"series", name}},
                      [&] { return pareto_figure(sweep, {x, y}, name == series.front() ? "" : name); });
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
  if (sweep.points.size() > kMostRows) {
    page.add("All points of " + sweep.name,
             PageBlocks().say(
                 fmt::format("{} points are too many for a page: 'a3sim results DB --csv' prints them.",
                             sweep.points.size())));
    return;
  }
  Report points;
  for (const std::string& name : passes_of(sweep)) add_points(sweep, name, {}, points);
  page.add("All points of " + sweep.name, PageBlocks().report(points), true);
}

}  // namespace a3sim
