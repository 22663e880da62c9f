#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/study/results/axis_numbers.h"
#include "sim/study/results/pivot_view.h"
#include "sim/study/results/plot_frame.h"
#include "sim/study/results/plots.h"

namespace a3sim {
namespace {

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

}  // namespace

std::string lines_plot(const SweepResults& sweep, const ResultMetric& metric, const std::string& x_axis,
                       const std::string& series_axis) {
  // Without an axis for the series, one on which all points have the same place.
  SweepResults one = sweep;
  if (series_axis.empty()) {
    one.axes.push_back({"", {""}});
    for (ResultPoint& point : one.points) point.levels.push_back(0);
  }
  const std::size_t across = one.axis(series_axis);
  const ResultPivot pivot = pivot_of(one, one.axis(x_axis), across, metric);
  const std::vector<double> values = all_values(pivot);
  const std::vector<std::string>& places = one.axes[pivot.rows].values;
  const std::vector<std::string>& names = one.axes[across].values;
  if (values.empty()) throw InputError("nothing to plot: no point is done");
  if (names.size() > kMostSeries)
    throw InputError(
        fmt::format("{} lines are too many to tell apart, at most {}: choose some with --where {}=…",
                    names.size(), kMostSeries, series_axis));
  const auto numbers = numbers_of(places);
  PlotArea area;
  if (series_axis.empty()) area.right = area.width - 30;
  const PlotAxis x =
      numbers ? plot_axis(numbers->values, area.left, area.right) : names_axis(places, area.left, area.right);
  const PlotAxis y = plot_axis(values, area.bottom, area.top);
  Svg svg(area.width, area.height);
  draw_title(
      svg, area,
      fmt::format("{} by {}{}{}", metric.name, x_axis, series_axis.empty() ? "" : " and ", series_axis),
      pivot_origin(one, metric, pivot, " and range"));
  draw_axes(svg, area, x, y, heading(x_axis, numbers ? numbers->unit : ""),
            heading(metric.name, metric.unit));
  std::vector<double> places_at;
  for (std::size_t i = 0; i < places.size(); ++i)
    places_at.push_back(numbers ? numbers->values[i] : static_cast<double>(i));
  const std::vector<PlotSeries> all = series_of(pivot, places_at);
  for (std::size_t i = 0; i < all.size(); ++i) draw_band(svg, all[i], x, y, i);
  for (std::size_t i = 0; i < all.size(); ++i) draw_series(svg, all[i], x, y, i);
  if (!series_axis.empty()) draw_legend(svg, area, series_axis, names);
  return svg.document();
}

}  // namespace a3sim
