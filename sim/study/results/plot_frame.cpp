#include "sim/study/results/plot_frame.h"

#include <fmt/format.h>

#include <limits>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr double kTitleSize = 15, kNameSize = 12.5, kLabelSize = 11;
constexpr std::string_view kGrid = R"(stroke="#e4e4e4" stroke-width="1")";
constexpr std::string_view kFrame = R"(fill="none" stroke="#555555" stroke-width="1")";
constexpr double kLegendRow = 17;
constexpr double kMargin = 12;

}  // namespace

void draw_title(Svg& svg, const PlotArea& area, const std::string& title, const std::string& below) {
  const double room = area.width - area.left - kMargin;
  svg.text({area.left, 24}, shortened(title, room, kTitleSize), SvgAnchor::kStart, kTitleSize,
           R"(font-weight="bold")");
  svg.text({area.left, 43}, shortened(below, room, kLabelSize), SvgAnchor::kStart, kLabelSize,
           R"(fill="#666666")");
}

void draw_axes(Svg& svg, const PlotArea& area, const PlotAxis& x, const PlotAxis& y,
               const std::string& x_name, const std::string& y_name) {
  double free_from = -std::numeric_limits<double>::infinity();
  for (const PlotTick& tick : x.ticks) {
    const double at = x.pixel(tick.value), half = text_width(tick.label, kLabelSize) / 2;
    svg.line({at, area.top}, {at, area.bottom}, kGrid);
    if (at - half < free_from) continue;
    svg.text({at, area.bottom + 17}, tick.label, SvgAnchor::kMiddle, kLabelSize);
    free_from = at + half + kLabelSize / 2;
  }
  double free_below = std::numeric_limits<double>::infinity();
  for (const PlotTick& tick : y.ticks) {
    const double at = y.pixel(tick.value);
    svg.line({area.left, at}, {area.right, at}, kGrid);
    if (at > free_below) continue;
    svg.text({area.left - 8, at + 4}, shortened(tick.label, area.left - 34, kLabelSize), SvgAnchor::kEnd,
             kLabelSize);
    free_below = at - kLabelSize;
  }
  svg.rect(area.left, area.top, area.right - area.left, area.bottom - area.top, kFrame);
  svg.text({(area.left + area.right) / 2, area.bottom + 42},
           shortened(x_name, area.right - area.left, kNameSize), SvgAnchor::kMiddle, kNameSize);
  svg.text_upwards({20, (area.top + area.bottom) / 2}, shortened(y_name, area.bottom - area.top, kNameSize),
                   kNameSize);
}

std::string series_color(std::size_t series) {
  constexpr const char* kColors[kMostColors] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#000000", "#b8a800"};
  return kColors[series % kMostColors];
}

std::string series_stroke(std::size_t series) {
  constexpr const char* kDashes[] = {"", R"( stroke-dasharray="7 3")", R"( stroke-dasharray="2 3")"};
  return fmt::format(R"(stroke="{}" stroke-width="2"{})", series_color(series),
                     kDashes[series / kMostColors % 3]);
}

void check_series(std::size_t series, std::size_t most, const std::string& axis) {
  if (series <= most) return;
  throw InputError(
      fmt::format("axis '{0}' has {1} values, too many to tell apart: at most {2}, choose some with --where "
                  "{0}=...",
                  axis, series, most));
}

void draw_legend(Svg& svg, const PlotArea& area, const std::string& title,
                 const std::vector<std::string>& names) {
  const double x = area.right + 16, room = area.width - x - kMargin;
  double y = area.top + 10;
  svg.text({x, y}, shortened(title, room, kLabelSize), SvgAnchor::kStart, kLabelSize,
           R"(font-weight="bold")");
  for (std::size_t i = 0; i < names.size(); ++i) {
    y += kLegendRow;
    svg.line({x, y - 4}, {x + 22, y - 4}, series_stroke(i));
    svg.circle({x + 11, y - 4}, 3, fmt::format(R"(fill="{}")", series_color(i)));
    svg.text({x + 29, y}, shortened(names[i], room - 29, kLabelSize), SvgAnchor::kStart, kLabelSize);
  }
}

}  // namespace a3sim
