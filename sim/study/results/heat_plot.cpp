#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/core/error.h"
#include "sim/study/published/metric.h"
#include "sim/study/results/axis_numbers.h"
#include "sim/study/results/pivot_view.h"
#include "sim/study/results/plot_frame.h"
#include "sim/study/results/plots.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

using Rgb = std::array<double, 3>;

// Viridis (Smith and van der Walt, matplotlib, CC0) at ninths: lightness rises evenly, also for the
// colour-blind.
constexpr std::array<Rgb, 9> kViridis{{{68, 1, 84},
                                       {71, 44, 122},
                                       {59, 81, 139},
                                       {44, 113, 142},
                                       {33, 144, 141},
                                       {39, 173, 129},
                                       {92, 200, 99},
                                       {170, 220, 50},
                                       {253, 231, 37}}};
constexpr double kNumberSize = 11, kSmallestNumber = 7;
// On colours of this luminance and more, black is read better than white.
constexpr double kBright = 130;
constexpr int kBarSteps = 64;

Rgb color_at(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * (kViridis.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kViridis.size() - 2);
  const double part = place - static_cast<double>(below);
  Rgb color{};
  for (std::size_t i = 0; i < 3; ++i)
    color[i] = kViridis[below][i] + part * (kViridis[below + 1][i] - kViridis[below][i]);
  return color;
}

std::string fill_of(const Rgb& color) {
  return fmt::format(R"(fill="#{:02x}{:02x}{:02x}")", static_cast<int>(std::lround(color[0])),
                     static_cast<int>(std::lround(color[1])), static_cast<int>(std::lround(color[2])));
}

// Dark is little, bright is much; logarithmic where the axis is.
class HeatScale {
 public:
  explicit HeatScale(const std::vector<double>& values) : axis_(plot_axis(values, 0, 1)) {
    std::tie(low_, high_) = std::pair(std::ranges::min(values), std::ranges::max(values));
  }
  double share(double value) const {
    const double low = axis_.pixel(low_), high = axis_.pixel(high_);
    return high > low ? (axis_.pixel(value) - low) / (high - low) : 0.5;
  }
  double low() const { return low_; }
  double high() const { return high_; }
  const PlotAxis& axis() const { return axis_; }

 private:
  PlotAxis axis_;
  double low_ = 0, high_ = 0;
};

void draw_number(Svg& svg, SvgPoint centre, double value, double width, double height, const Rgb& color) {
  const std::string text = significant(value);
  double size = kNumberSize;
  while (size >= kSmallestNumber && (text_width(text, size) > width - 4 || size > height - 3)) size -= 0.5;
  if (size < kSmallestNumber) return;
  const bool bright = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2] >= kBright;
  svg.text({centre.x, centre.y + size * 0.36}, text, SvgAnchor::kMiddle, size,
           bright ? R"(fill="#000000")" : R"(fill="#ffffff")");
}

void draw_cells(Svg& svg, const ResultPivot& pivot, const PlotAxis& x, const PlotAxis& y,
                const HeatScale& scale) {
  const double width = x.pixel(1) - x.pixel(0), height = y.pixel(0) - y.pixel(1);
  for (std::size_t row = 0; row < pivot.cells.size(); ++row) {
    for (std::size_t column = 0; column < pivot.cells[row].size(); ++column) {
      const SvgPoint centre{x.pixel(static_cast<double>(column)), y.pixel(static_cast<double>(row))};
      const double left = centre.x - width / 2, top = centre.y - height / 2;
      const ResultPivot::Cell& cell = pivot.cells[row][column];
      if (cell.values.empty()) {
        svg.rect(left, top, width, height, R"(fill="#f0f0f0" stroke="#ffffff" stroke-width="1")");
        continue;
      }
      const Rgb color = color_at(scale.share(cell.median()));
      svg.rect(left, top, width, height, fill_of(color) + R"( stroke="#ffffff" stroke-width="1")");
      draw_number(svg, centre, cell.median(), width, height, color);
    }
  }
}

// The colours with their values, beside the cells.
void draw_bar(Svg& svg, const PlotArea& area, const HeatScale& scale, const std::string& name) {
  const double left = area.right + 24, width = 16, height = area.bottom - area.top;
  for (int i = 0; i < kBarSteps; ++i) {
    svg.rect(left, area.bottom - height * (i + 1) / kBarSteps, width, height / kBarSteps + 0.5,
             fill_of(color_at((i + 0.5) / kBarSteps)));
  }
  for (const PlotTick& tick : scale.axis().ticks) {
    if (tick.value < scale.low() || tick.value > scale.high()) continue;
    const double y = area.bottom - scale.share(tick.value) * height;
    svg.line({left + width, y}, {left + width + 4, y}, R"(stroke="#555555")");
    svg.text({left + width + 8, y + 4}, tick.label, SvgAnchor::kStart, kNumberSize);
  }
  svg.text_upwards({area.width - 14, (area.top + area.bottom) / 2}, shortened(name, height, 12), 12);
}

}  // namespace

std::string heat_plot(const SweepResults& sweep, const ResultMetric& metric, const std::string& rows,
                      const std::string& columns) {
  const ResultPivot pivot = pivot_of(sweep, sweep.axis(rows), sweep.axis(columns), metric);
  if (pivot.rows == pivot.columns) throw InputError("a heat map needs two axes, for --rows and --columns");
  std::vector<double> medians;
  for (const std::vector<ResultPivot::Cell>& row : pivot.cells) {
    for (const ResultPivot::Cell& cell : row) {
      if (!cell.values.empty()) medians.push_back(cell.median());
    }
  }
  if (medians.empty()) throw InputError("nothing to plot: no point is done");
  const HeatScale scale(medians);
  PlotArea area;
  area.right = 600;
  const PlotAxis x = names_axis(sweep.axes[pivot.columns].values, area.left, area.right);
  const PlotAxis y = names_axis(sweep.axes[pivot.rows].values, area.bottom, area.top);
  Svg svg(area.width, area.height);
  draw_title(svg, area, fmt::format("{} by {} and {}", heading(metric.name, metric.unit), rows, columns),
             pivot_origin(sweep, metric, pivot, ""));
  draw_axes(svg, area, x, y, columns, rows);
  draw_cells(svg, pivot, x, y, scale);
  draw_bar(svg, area, scale, heading(metric.name, metric.unit));
  return svg.document();
}

}  // namespace a3sim
