#include "sim/traffic/decision_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/variation/noise.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostColumns = 96;  // of steps in a figure

FigureAxis axis_between(std::string name, double low, double high) {
  FigureAxis axis;
  axis.name = std::move(name);
  axis.low = low;
  axis.high = high;
  return axis;
}

// Returns the steps of which the figures show every so-many-th.
std::vector<std::size_t> shown_steps(const TrafficDecision& d) {
  std::vector<std::size_t> steps;
  const std::size_t every = (d.steps.size() + kMostColumns - 1) / kMostColumns;
  for (std::size_t s = 0; s < d.steps.size(); s += every) steps.push_back(s);
  return steps;
}

// Experts' rows over the mean, step by step.
Figure experts_over_time(const TrafficDecision& d) {
  Figure figure;
  figure.title = "Rows of experts over time, times the mean";
  figure.origin = d.log;
  double most = 1;
  for (const std::size_t s : shown_steps(d)) {
    const std::vector<double> rows = rows_by_expert(d.steps[s]);
    double mean = 0;
    for (const double r : rows) mean += r / static_cast<double>(rows.size());
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const double value = mean > 0 ? rows[e] / mean : 1;
      most = std::max(most, value);
      figure.cells.push_back({static_cast<double>(s), static_cast<double>(e), value});
    }
  }
  constexpr double kHalf = 0.5;  // of a cell
  const double last_step = static_cast<double>(d.steps.size()) - 1, last_expert = d.shape.experts() - 1.0;
  figure.x = axis_between("step", -kHalf, last_step + kHalf);
  figure.y = axis_between("expert", -kHalf, last_expert + kHalf);
  figure.color = axis_between("times the mean", 0, most);
  return figure;
}

Figure ranks_over_time(const TrafficDecision& d) {
  Figure figure;
  figure.title = "The busiest rank's rows, times the mean";
  figure.origin = d.log;
  FigureSeries busiest{.name = "busiest rank", .kind = FigureKind::kSteps, .color = 0, .points = {}};
  FigureSeries paid{.name = "steps that were run", .kind = FigureKind::kPoints, .color = 1, .points = {}};
  std::vector<double> values{1};
  for (std::size_t s = 0; s < d.steps.size(); ++s) {
    values.push_back(busiest_over_mean(rows_by_rank(d.steps[s])));
    busiest.points.push_back(FigurePoint::at(static_cast<double>(s), values.back()));
    if (std::ranges::find(d.paid, s) != d.paid.end()) paid.points.push_back(busiest.points.back());
  }
  figure.series = {std::move(busiest), std::move(paid)};
  figure.x = axis_between("step", 0, static_cast<double>(d.steps.size() - 1));
  figure.y = figure_axis("times the mean", values);
  return figure;
}

// The times of paths on traffic, from the fastest step to the slowest one, and balanced.
Figure cost_by_path(const TrafficDecision& d) {
  Figure figure;
  figure.title = "Time of the layer by path";
  FigureSeries traffic{.name = "on traffic", .kind = FigureKind::kPoints, .color = 0, .points = {}};
  FigureSeries even{
      .name = "balanced", .kind = FigureKind::kPoints, .color = 1, .hollow = true, .points = {}};
  std::vector<std::string> names;
  std::vector<double> values;
  for (const PathCost& path : d.paths) {
    if (!path.refused.empty()) continue;
    const auto x = static_cast<double>(names.size());
    const auto [least, most] = std::ranges::minmax(path.steps);
    traffic.points.push_back(
        {x, 1e3 * seconds(median_of(path.steps)), 1e3 * seconds(least), 1e3 * seconds(most)});
    even.points.push_back(FigurePoint::at(x, 1e3 * seconds(path.even)));
    values.insert(values.end(),
                  {traffic.points.back().high, traffic.points.back().low, even.points.back().y});
    names.push_back(path.name);
  }
  figure.series = {std::move(traffic), std::move(even)};
  figure.x = names_axis("path", names);
  figure.y = axis_from_zero("ms", values);
  return figure;
}

// The time that remedies have saved after so many steps, less the time of moving experts.
Figure break_even(const TrafficDecision& d) {
  Figure figure;
  figure.title = "What a layer has saved since the move";
  std::vector<double> values{0};
  double most = 10;
  for (const BalanceRemedy& r : d.remedies)
    if (r.refused.empty() && r.break_even > 0) most = std::max(most, 2 * r.break_even);
  most = std::min(most, 1e5);
  std::uint32_t color = 0;
  for (const BalanceRemedy& r : d.remedies) {
    if (!r.refused.empty()) continue;
    FigureSeries series{.name = r.name, .kind = FigureKind::kPlain, .color = color++, .points = {}};
    constexpr int kPoints = 50;
    for (int i = 0; i <= kPoints; ++i) {
      const double steps = most * i / kPoints;
      const double moves = r.again > 0 ? 1 + std::floor(steps / r.again) : 1;
      series.points.push_back(
          FigurePoint::at(steps, 1e3 * (seconds(r.saved) * steps - seconds(r.move.time) * moves)));
      values.push_back(series.points.back().y);
    }
    figure.series.push_back(std::move(series));
  }
  figure.x = axis_between("steps since the move", 0, most);
  const auto [low, high] = std::ranges::minmax(values);
  figure.y = axis_between("ms saved", low, std::max(high, low + 1e-6));
  return figure;
}

}  // namespace

Page decision_page(const TrafficDecision& d, const Report& log, const Report& decided) {
  Page page(fmt::format("Traffic of layer {}", d.layer),
            fmt::format(
                "{}\nmachine {} · EP{} · {} tokens per rank · top-{} of {} experts · {} · {} steps, of which "
                "{} were run",
                d.log, d.machine, d.shape.ep, d.shape.tokens, d.shape.top_k, d.shape.experts(), d.pass,
                d.steps.size(), d.paid.size()));
  PageBlocks verdict;
  verdict.verdict(d.sentence());
  page.add("Verdict", verdict);
  page.add("The log", PageBlocks().report(log));
  page.add("How uneven", PageBlocks().figure(experts_over_time(d)).figure(ranks_over_time(d)));
  page.add("What it costs", PageBlocks().figure(cost_by_path(d)));
  if (!d.remedies.empty()) page.add("When moving pays", PageBlocks().figure(break_even(d)));
  page.add("All numbers", PageBlocks().report(decided), true);
  return page;
}

}  // namespace a3sim
