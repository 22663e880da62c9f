#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
#include "sim/study/results/pivot_view.h"
#include "sim/study/results/plot_frame.h"
#include "sim/study/results/plots.h"

namespace a3sim {
namespace {

constexpr double kFrontLabelSize = 10;

// A label that covers none of those that are there, or none.
class FrontLabels {
 public:
  FrontLabels(Svg& svg, const PlotArea& area) : svg_(svg), area_(area) {}

  // Right above, left below, right below, left above the point.
  void add(SvgPoint at, const std::string& text) {
    const double width = text_width(text, kFrontLabelSize);
    for (const auto& [right, above] : {std::pair{true, true}, {false, false}, {true, false}, {false, true}}) {
      const Box box{right ? at.x + 7 : at.x - 7 - width, above ? at.y - 6 - kFrontLabelSize : at.y + 6, width,
                    kFrontLabelSize};
      if (!free(box)) continue;
      boxes_.push_back(box);
      svg_.text({box.x, box.y + box.height - 1}, text, SvgAnchor::kStart, kFrontLabelSize);
      return;
    }
  }
  void keep_free(SvgPoint at) { boxes_.push_back({at.x - 4, at.y - 4, 8, 8}); }

 private:
  struct Box {
    double x, y, width, height;
  };
  bool free(const Box& box) const {
    if (box.x < area_.left || box.x + box.width > area_.right || box.y < area_.top ||
        box.y + box.height > area_.bottom)
      return false;
    return std::ranges::none_of(boxes_, [&](const Box& other) {
      return box.x < other.x + other.width && other.x < box.x + box.width && box.y < other.y + other.height &&
             other.y < box.y + box.height;
    });
  }

  Svg& svg_;
  const PlotArea& area_;
  std::vector<Box> boxes_;
};

// Where a point lies on the axes that vary.
std::string place_of(const SweepResults& sweep, std::size_t point) {
  std::string text;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    if (sweep.axes[axis].values.size() > 1)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", sweep.value(point, axis));
  }
  return text;
}

// Level until the next point of the front, then up or down to it.
std::vector<SvgPoint> steps_through(const std::vector<SvgPoint>& front) {
  std::vector<SvgPoint> steps;
  for (const SvgPoint& point : front) {
    if (!steps.empty()) steps.push_back({point.x, steps.back().y});
    steps.push_back(point);
  }
  return steps;
}

std::string objective_name(const Objective& objective) {
  return fmt::format("{}, {} is better", heading(objective.metric->name, objective.metric->unit),
                     objective.larger ? "larger" : "smaller");
}

// Where points lie, and how they are drawn.
struct ParetoDrawing {
  PlotArea area;
  std::vector<std::size_t> points;  // that have both values
  std::vector<std::size_t> front;
  PlotAxis x, y;
};

ParetoDrawing drawing_of(const SweepResults& sweep, const std::vector<Objective>& objectives, bool legend) {
  const std::vector<double>&xs = objectives[0].metric->values, &ys = objectives[1].metric->values;
  ParetoDrawing drawing{{}, {}, pareto_front(sweep, objectives), {}, {}};
  if (drawing.front.empty()) throw InputError("nothing to plot: no point is done");
  std::vector<double> known_x, known_y;
  for (std::size_t point = 0; point < xs.size(); ++point) {
    if (std::isnan(xs[point]) || std::isnan(ys[point])) continue;
    drawing.points.push_back(point);
    known_x.push_back(xs[point]);
    known_y.push_back(ys[point]);
  }
  if (!legend) drawing.area.right = drawing.area.width - 30;
  drawing.x = plot_axis(known_x, drawing.area.left, drawing.area.right);
  drawing.y = plot_axis(known_y, drawing.area.bottom, drawing.area.top);
  return drawing;
}

std::string pareto_origin(const SweepResults& sweep, const ResultMetric& metric,
                          const ParetoDrawing& drawing) {
  const std::vector<std::string> axes = other_axes(sweep, {});
  return fmt::format("{}, {}; {} points, {} that no other beats{}{}", sweep.name,
                     metric.pass == "total" ? "all passes" : metric.pass, drawing.points.size(),
                     drawing.front.size(), axes.empty() ? "" : ": ", fmt::join(axes, ", "));
}

}  // namespace

std::string pareto_plot(const SweepResults& sweep, const std::vector<Objective>& objectives,
                        const std::string& series) {
  if (objectives.size() != 2) throw InputError("a Pareto plot has two metrics: --pareto latency,sent");
  const ResultMetric &first = *objectives[0].metric, &second = *objectives[1].metric;
  const std::size_t axis = series.empty() ? 0 : sweep.axis(series);
  if (!series.empty()) check_series(sweep.axes[axis].values.size(), kMostColors, series);
  const ParetoDrawing drawing = drawing_of(sweep, objectives, !series.empty());
  const auto pixel = [&](std::size_t point) {
    return SvgPoint{drawing.x.pixel(first.values[point]), drawing.y.pixel(second.values[point])};
  };
  const auto color = [&](std::size_t point) {
    return series_color(series.empty() ? 0 : sweep.points[point].levels[axis]);
  };
  Svg svg(drawing.area.width, drawing.area.height);
  draw_title(svg, drawing.area, fmt::format("{} against {}", second.name, first.name),
             pareto_origin(sweep, first, drawing));
  draw_axes(svg, drawing.area, drawing.x, drawing.y, objective_name(objectives[0]),
            objective_name(objectives[1]));
  for (const std::size_t point : drawing.points)
    svg.circle(pixel(point), 3, fmt::format(R"(fill="{}" fill-opacity="0.35")", color(point)));
  std::vector<SvgPoint> front_pixels;
  for (const std::size_t point : drawing.front) front_pixels.push_back(pixel(point));
  svg.polyline(steps_through(front_pixels), R"(stroke="#444444" stroke-width="1.5")");
  FrontLabels labels(svg, drawing.area);
  for (const std::size_t point : drawing.front) {
    svg.circle(pixel(point), 4.5, fmt::format(R"(fill="{}" stroke="#222222")", color(point)));
    labels.keep_free(pixel(point));
  }
  for (const std::size_t point : drawing.front) labels.add(pixel(point), place_of(sweep, point));
  if (!series.empty()) draw_legend(svg, drawing.area, series, sweep.axes[axis].values);
  return svg.document();
}

}  // namespace a3sim
