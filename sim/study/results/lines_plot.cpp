#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/study/results/axis_numbers.h"
#include "sim/study/results/pivot_view.h"
#include "sim/study/results/plot_frame.h"
#include "sim/study/results/plots.h"

namespace a3sim {
namespace {

// More of them have no room for labels.
constexpr std::size_t kMostNamedPlaces = 12;

// One line: places on x, and the values there.
struct PlotSeries {
  std::vector<double> x;
  std::vector<const ResultPivot::Cell*> cells;
};

std::vector<PlotSeries> series_of(const ResultPivot& pivot, const std::vector<double>& places) {
  std::vector<PlotSeries> all(pivot.cells.front().size());
  for (std::size_t row = 0; row < pivot.cells.size(); ++row) {
    for (std::size_t column = 0; column < all.size(); ++column) {
      const ResultPivot::Cell& cell = pivot.cells[row][column];
      if (cell.values.empty()) continue;
      all[column].x.push_back(places[row]);
      all[column].cells.push_back(&cell);
    }
  }
  return all;
}

void draw_band(Svg& svg, const PlotSeries& series, const PlotAxis& x, const PlotAxis& y, std::size_t number) {
  std::vector<SvgPoint> outline;
  for (std::size_t i = 0; i < series.x.size(); ++i)
    outline.push_back({x.pixel(series.x[i]), y.pixel(series.cells[i]->values.back())});
  for (std::size_t i = series.x.size(); i-- > 0;)
    outline.push_back({x.pixel(series.x[i]), y.pixel(series.cells[i]->values.front())});
  svg.polygon(outline, fmt::format(R"(fill="{}" fill-opacity="0.15")", series_color(number)));
}

void draw_series(Svg& svg, const PlotSeries& series, const PlotAxis& x, const PlotAxis& y,
                 std::size_t number) {
  std::vector<SvgPoint> line;
  for (std::size_t i = 0; i < series.x.size(); ++i)
    line.push_back({x.pixel(series.x[i]), y.pixel(series.cells[i]->median())});
  svg.polyline(line, series_stroke(number) + R"( stroke-linejoin="round")");
  for (const SvgPoint& point : line) svg.circle(point, 3, fmt::format(R"(fill="{}")", series_color(number)));
}

std::vector<double> all_values(const ResultPivot& pivot) {
  std::vector<double> values;
  for (const std::vector<ResultPivot::Cell>& row : pivot.cells) {
    for (const ResultPivot::Cell& cell : row)
      values.insert(values.end(), cell.values.begin(), cell.values.end());
  }
  return values;
}

// Places on x: numbers where the axis has them; on a logarithmic one the values themselves are the ticks.
struct PlotPlaces {
  PlotAxis axis;
  std::vector<double> values;
  std::string unit;
};

PlotPlaces places_of(const std::vector<std::string>& names, const PlotArea& area) {
  const auto numbers = numbers_of(names);
  if (numbers) {
    PlotPlaces places{plot_axis(numbers->values, area.left, area.right), numbers->values, numbers->unit};
    if (!places.axis.log || names.size() > kMostNamedPlaces) return places;
    places.axis.ticks.clear();
    for (const double value : numbers->values)
      places.axis.ticks.push_back({value, fmt::format("{:.6g}", value)});
    return places;
  }
  PlotPlaces places{names_axis(names, area.left, area.right), {}, ""};
  for (const PlotTick& tick : places.axis.ticks) places.values.push_back(tick.value);
  return places;
}

// A sweep in which all points have the same value of a further axis without a name.
SweepResults with_one_series(SweepResults sweep) {
  sweep.axes.push_back({"", {""}});
  for (ResultPoint& point : sweep.points) point.levels.push_back(0);
  return sweep;
}

}  // namespace

std::string lines_plot(const SweepResults& sweep, const ResultMetric& metric, const std::string& x_axis,
                       const std::string& series_axis) {
  const bool one = series_axis.empty();
  const SweepResults drawn = one ? with_one_series(sweep) : sweep;
  const ResultPivot pivot = pivot_of(drawn, sweep.axis(x_axis), drawn.axis(series_axis), metric);
  const std::vector<double> values = all_values(pivot);
  const std::vector<std::string>& names = drawn.axes[pivot.columns].values;
  if (values.empty()) throw InputError("nothing to plot: no point is done");
  check_series(names.size(), kMostSeries, series_axis);
  PlotArea area;
  if (one) area.right = area.width - 30;
  const PlotPlaces x = places_of(drawn.axes[pivot.rows].values, area);
  const PlotAxis y = plot_axis(values, area.bottom, area.top);
  Svg svg(area.width, area.height);
  draw_title(svg, area, fmt::format("{} by {}{}{}", metric.name, x_axis, one ? "" : " and ", series_axis),
             pivot_origin(drawn, metric, pivot, " and range"));
  draw_axes(svg, area, x.axis, y, heading(x_axis, x.unit), heading(metric.name, metric.unit));
  const std::vector<PlotSeries> all = series_of(pivot, x.values);
  for (std::size_t i = 0; i < all.size(); ++i) draw_band(svg, all[i], x.axis, y, i);
  for (std::size_t i = 0; i < all.size(); ++i) draw_series(svg, all[i], x.axis, y, i);
  if (!one) draw_legend(svg, area, series_axis, names);
  return svg.document();
}

}  // namespace a3sim
