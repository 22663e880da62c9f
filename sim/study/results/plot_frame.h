#pragma once

#include <string>
#include <vector>

#include "sim/study/results/plot_axis.h"
#include "sim/study/results/svg.h"

namespace a3sim {

// Where a plot's parts lie, in pixels.
struct PlotArea {
  double left = 78, top = 58, right = 560, bottom = 380;
  double width = 720, height = 440;  // of the drawing
};

// The title in bold and a line below it.
void draw_title(Svg& svg, const PlotArea& area, const std::string& title, const std::string& below);

// Grid lines, ticks and their labels (those for which there is room), and the axes' names.
void draw_axes(Svg& svg, const PlotArea& area, const PlotAxis& x, const PlotAxis& y,
               const std::string& x_name, const std::string& y_name);

// One of eight colours that colour-blind readers tell apart (Okabe and Ito, "Color Universal Design", 2008).
std::string series_color(std::size_t series);

// The stroke of a series: eight colours, then the same dashed, then dotted.
std::string series_stroke(std::size_t series);
inline constexpr std::size_t kMostSeries = 24, kMostColors = 8;

// Throws InputError when there are more than `most` series on an axis.
void check_series(std::size_t series, std::size_t most, const std::string& axis);

// The series' names beside the plot, below `title`.
void draw_legend(Svg& svg, const PlotArea& area, const std::string& title,
                 const std::vector<std::string>& names);

}  // namespace a3sim
