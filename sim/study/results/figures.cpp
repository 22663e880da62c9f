#include "sim/study/results/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
#include "sim/study/results/axis_numbers.h"
#include "sim/study/results/pivot_view.h"
#include "sim/study/results/points_view.h"

namespace a3sim {
namespace {

// More of them have no room for labels on a logarithmic axis, or in the legend.
constexpr std::size_t kMostNamedPlaces = 12, kMostNumbered = 20;

void check_series(std::size_t series, std::size_t most, const std::string& axis) {
  if (series <= most) return;
  throw InputError(
      fmt::format("axis '{0}' has {1} values, too many to tell apart: at most {2}, choose some with --where "
                  "{0}=...",
                  axis, series, most));
}

// Numbers where the axis has them; on a logarithmic one the values themselves are the ticks.
std::pair<FigureAxis, std::vector<double>> places_of(const ResultAxis& axis) {
  const auto numbers = numbers_of(axis.values);
  if (!numbers) {
    FigureAxis names = names_axis(axis.name, axis.values);
    return {names, names.places};
  }
  FigureAxis x = figure_axis(heading(axis.name, numbers->unit), numbers->values);
  x.truncated = false;
  if (x.log && axis.values.size() <= kMostNamedPlaces) {
    x.places = numbers->values;
    for (const double value : x.places) x.names.push_back(fmt::format("{:.6g}", value));
  }
  return {x, numbers->values};
}

// A sweep in which all points have the same value of a further axis without a name.
SweepResults with_one_series(SweepResults sweep) {
  sweep.axes.push_back({"", {""}});
  for (ResultPoint& point : sweep.points) point.levels.push_back(0);
  return sweep;
}

FigureAxis metric_axis(std::string name, const std::vector<double>& values) {
  FigureAxis axis = figure_axis(std::move(name), values);
  if (axis.truncated) axis.name += "; does not begin at 0";
  return axis;
}

std::string place_of(const SweepResults& sweep, std::size_t point) {
  std::string text;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    if (sweep.axes[axis].values.size() > 1)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", sweep.value(point, axis));
  }
  return text;
}

std::string objective_name(const Objective& objective) {
  return fmt::format("{}, {} is better", heading(objective.metric->name, objective.metric->unit),
                     objective.larger ? "larger" : "smaller");
}

// Numbers for the points of the front: points that lie on one another share a mark.
void add_marks(const SweepResults& sweep, const std::vector<std::size_t>& front, Figure& figure) {
  constexpr double kNear = 0.015;  // of an axis
  const auto share = [](double v, const FigureAxis& axis) {
    return axis.log ? std::log(v / axis.low) / std::log(axis.high / axis.low)
                    : (v - axis.low) / (axis.high - axis.low);
  };
  for (std::size_t i = 0; i < front.size(); ++i) {
    const std::string number = fmt::format("{}", i + 1);
    if (i < kMostNumbered) figure.key.push_back(fmt::format("{}: {}", number, place_of(sweep, front[i])));
    const FigurePoint& at = figure.series.back().points[i];
    const auto covered = [&](const FigureMark& mark) {
      return std::abs(share(mark.x, figure.x) - share(at.x, figure.x)) < kNear &&
             std::abs(share(mark.y, figure.y) - share(at.y, figure.y)) < kNear;
    };
    const auto near = std::ranges::find_if(figure.marks, covered);
    if (near == figure.marks.end())
      figure.marks.push_back({at.x, at.y, number});
    else
      near->text += ", " + number;
  }
  if (front.size() > kMostNumbered)
    figure.key.push_back(fmt::format("… {} more", front.size() - kMostNumbered));
}

}  // namespace

Figure lines_figure(const SweepResults& sweep, const ResultMetric& metric, const std::string& x_axis,
                    const std::string& series_axis) {
  const bool one = series_axis.empty();
  const SweepResults drawn = one ? with_one_series(sweep) : sweep;
  const ResultPivot pivot = pivot_of(drawn, sweep.axis(x_axis), drawn.axis(series_axis), metric);
  const std::vector<std::string>& names = drawn.axes[pivot.columns].values;
  check_series(names.size(), kMostSeries, series_axis);
  Figure figure;
  figure.title = fmt::format("{} by {}{}{}", metric.name, x_axis, one ? "" : " and ", series_axis);
  figure.origin = pivot_origin(drawn, metric, pivot, " and range");
  figure.legend = series_axis;
  std::vector<double> places, values;
  std::tie(figure.x, places) = places_of(drawn.axes[pivot.rows]);
  for (std::size_t column = 0; column < names.size(); ++column) {
    FigureSeries& series = figure.series.emplace_back();
    series.name = names[column];
    series.color = static_cast<std::uint32_t>(column);
    for (std::size_t row = 0; row < pivot.cells.size(); ++row) {
      const ResultPivot::Cell& cell = pivot.cells[row][column];
      if (cell.values.empty()) continue;
      series.points.push_back({places[row], cell.median(), cell.values.front(), cell.values.back()});
      values.insert(values.end(), cell.values.begin(), cell.values.end());
    }
  }
  if (values.empty()) throw InputError("nothing to plot: no point is done");
  figure.y = metric_axis(heading(metric.name, metric.unit), values);
  return figure;
}

Figure heat_figure(const SweepResults& sweep, const ResultMetric& metric, const std::string& rows,
                   const std::string& columns) {
  const ResultPivot pivot = pivot_of(sweep, sweep.axis(rows), sweep.axis(columns), metric);
  if (pivot.rows == pivot.columns) throw InputError("a heat map needs two axes, for --rows and --columns");
  Figure figure;
  figure.title = fmt::format("{} by {} and {}", heading(metric.name, metric.unit), rows, columns);
  figure.origin = pivot_origin(sweep, metric, pivot, "");
  figure.x = names_axis(columns, sweep.axes[pivot.columns].values);
  // The first row stands at the top, as in the table.
  std::vector<std::string> falling = sweep.axes[pivot.rows].values;
  std::ranges::reverse(falling);
  figure.y = names_axis(rows, falling);
  std::vector<double> medians;
  for (std::size_t row = 0; row < pivot.cells.size(); ++row) {
    for (std::size_t column = 0; column < pivot.cells[row].size(); ++column) {
      if (pivot.cells[row][column].values.empty()) continue;
      medians.push_back(pivot.cells[row][column].median());
      figure.cells.push_back(
          {static_cast<double>(column), static_cast<double>(falling.size() - 1 - row), medians.back()});
    }
  }
  if (medians.empty()) throw InputError("nothing to plot: no point is done");
  figure.color = figure_axis(heading(metric.name, metric.unit), medians);
  return figure;
}

Figure pareto_figure(const SweepResults& sweep, const std::vector<Objective>& objectives,
                     const std::string& series) {
  if (objectives.size() != 2) throw InputError("a Pareto plot has two metrics: --pareto latency,sent");
  const std::vector<double>&xs = objectives[0].metric->values, &ys = objectives[1].metric->values;
  const std::vector<std::size_t> front = pareto_front(sweep, objectives);
  if (front.empty()) throw InputError("nothing to plot: no point is done");
  Figure figure;
  figure.legend = series;
  figure.series.resize(1);
  if (!series.empty()) {
    const ResultAxis& axis = sweep.axes[sweep.axis(series)];
    check_series(axis.values.size(), kMostColors, series);
    figure.series.resize(axis.values.size());
    for (std::size_t i = 0; i < axis.values.size(); ++i) figure.series[i].name = axis.values[i];
  }
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    figure.series[i].kind = FigureKind::kPoints;
    figure.series[i].color = static_cast<std::uint32_t>(i);
  }
  std::vector<double> known_x, known_y;
  for (std::size_t point = 0; point < xs.size(); ++point) {
    if (std::isnan(xs[point]) || std::isnan(ys[point])) continue;
    const std::size_t color = series.empty() ? 0 : sweep.points[point].levels[sweep.axis(series)];
    figure.series[color].points.push_back(FigurePoint::at(xs[point], ys[point]));
    known_x.push_back(xs[point]);
    known_y.push_back(ys[point]);
  }
  FigureSeries& steps = figure.series.emplace_back();
  steps.kind = FigureKind::kSteps;
  steps.color = kTextColor;
  for (const std::size_t point : front) steps.points.push_back(FigurePoint::at(xs[point], ys[point]));
  figure.x = metric_axis(objective_name(objectives[0]), known_x);
  figure.y = metric_axis(objective_name(objectives[1]), known_y);
  add_marks(sweep, front, figure);
  const ResultMetric& metric = *objectives[0].metric;
  figure.title = fmt::format("{} against {}", objectives[1].metric->name, metric.name);
  const std::vector<std::string> axes = other_axes(sweep, {});
  figure.origin = fmt::format("{}, {}; {} points, {} that no other beats{}{}", sweep.name,
                              metric.pass == "total" ? "all passes" : metric.pass, known_x.size(),
                              front.size(), axes.empty() ? "" : ": ", fmt::join(axes, ", "));
  return figure;
}

}  // namespace a3sim
