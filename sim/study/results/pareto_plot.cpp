#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
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

}  // namespace

std::string pareto_plot(const SweepResults& sweep, const std::vector<Objective>& objectives,
                        const std::string& series) {
  if (objectives.size() != 2) throw InputError("a Pareto plot has two metrics: --pareto latency,sent");
  const std::vector<double>&xs = objectives[0].metric->values, &ys = objectives[1].metric->values;
  std::vector<std::size_t> points;
  std::vector<double> known_x, known_y;
  for (std::size_t point = 0; point < xs.size(); ++point) {
    if (std::isnan(xs[point]) || std::isnan(ys[point])) continue;
    points.push_back(point);
    known_x.push_back(xs[point]);
    known_y.push_back(ys[point]);
  }
  if (points.empty()) throw InputError("nothing to plot: no point is done");
  const std::size_t color_axis = series.empty() ? 0 : sweep.axis(series);
  PlotArea area;
  if (series.empty()) area.right = area.width - 30;
  const PlotAxis x = plot_axis(known_x, area.left, area.right), y = plot_axis(known_y, area.bottom, area.top);
  const auto pixel = [&](std::size_t point) { return SvgPoint{x.pixel(xs[point]), y.pixel(ys[point])}; };
  const auto color = [&](std::size_t point) {
    return series.empty() ? std::string("#0072b2") : series_color(sweep.points[point].levels[color_axis]);
  };
  const std::vector<std::size_t> front = pareto_front(sweep, objectives);
  Svg svg(area.width, area.height);
  draw_title(svg, area, fmt::format("{} against {}", objectives[1].metric->name, objectives[0].metric->name),
             fmt::format("{}, {}; {} points, {} that no other beats", sweep.name,
                         objectives[0].metric->pass == "total" ? "all passes" : objectives[0].metric->pass,
                         points.size(), front.size()));
  draw_axes(svg, area, x, y, objective_name(objectives[0]), objective_name(objectives[1]));
  for (const std::size_t point : points)
    svg.circle(pixel(point), 3, fmt::format(R"(fill="{}" fill-opacity="0.35")", color(point)));
  std::vector<SvgPoint> front_pixels;
  for (const std::size_t point : front) front_pixels.push_back(pixel(point));
  svg.polyline(steps_through(front_pixels), R"(stroke="#444444" stroke-width="1.5")");
  FrontLabels labels(svg, area);
  for (const std::size_t point : front) {
    svg.circle(pixel(point), 4.5, fmt::format(R"(fill="{}" stroke="#222222")", color(point)));
    labels.keep_free(pixel(point));
  }
  for (const std::size_t point : front) labels.add(pixel(point), place_of(sweep, point));
  if (!series.empty()) draw_legend(svg, area, series, sweep.axes[color_axis].values);
  return svg.document();
}

}  // namespace a3sim
