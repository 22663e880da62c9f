#pragma once

#include <string>
#include <vector>

namespace a3sim {

// What a plot shows, apart from what draws it.
struct PlotAxis {
  std::string name;
  bool log = false;
  bool truncated = false;          // linear, and does not begin at zero though all values lie far above it
  double low = 0, high = 1;        // its ends
  std::vector<double> places;      // that have names of their own; none: round numbers
  std::vector<std::string> names;  // of `places`
};

struct PlotPoint {
  double x = 0, y = 0;
  double low = 0, high = 0;  // of the values that y stands for; both y: one value
};

// Points of one colour, joined by a line or not.
struct PlotSeries {
  std::string name;  // empty: the legend does not have it
  std::vector<PlotPoint> points;
  bool joined = true;
};

// A coloured cell at whole-numbered places.
struct PlotCell {
  double x = 0, y = 0, value = 0;
};

struct PlotMark {
  double x = 0, y = 0;
  std::string text;
};

struct Plot {
  std::string title, origin;  // origin: where the values are from
  PlotAxis x, y, color;       // color: of the cells
  std::string legend;         // above the series' names
  std::vector<PlotSeries> series;
  std::vector<PlotCell> cells;
  std::vector<PlotPoint> steps;  // level until the next point, then up or down to it
  std::vector<PlotMark> marks;   // numbers beside points
  std::vector<std::string> key;  // what the marks' numbers mean, a line each
};

// An axis on which all `values` (at least one, finite) lie: logarithmic where they are positive and span a
// factor of 8 or more; else from zero where that is near, or marked as truncated.
PlotAxis plot_axis(std::string name, const std::vector<double>& values);
// An axis with a place for each name: 0, 1, 2, …
PlotAxis names_axis(std::string name, const std::vector<std::string>& names);

// The plot as commands of gnuplot (5.4 or newer) that print an SVG. Equal plots are equal text.
std::string gnuplot_script(const Plot& plot);
// What gnuplot draws of it. Throws RunError where it is not installed.
std::string svg_of(const Plot& plot);

}  // namespace a3sim
