#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"

// What a figure shows, apart from what draws it in a page: traces/report/web/src/drawing.ts.
namespace a3sim {

struct FigureAxis {
  std::string name;
  bool log = false;
  bool truncated = false;          // linear, and does not begin at zero though all values lie far above it
  double low = 0, high = 1;        // its ends
  std::vector<double> places;      // that have names of their own; none: round numbers
  std::vector<std::string> names;  // of `places`
};

// y, and the range that it stands for.
struct FigurePoint {
  double x = 0, y = 0, low = 0, high = 0;
  static FigurePoint at(double x, double y) { return {x, y, y, y}; }
};

enum class FigureKind : std::uint8_t {
  kLine,    // joined points, with a band where they have ranges
  kPoints,  // on their own, with whiskers
  kBars,    // beside those of other series, at places that have names
  kSteps,   // level until the next point, then up or down to it
  kPlain,   // a line without points
  kSpans    // from `low` to `high` along x, at the place y
};
constexpr auto names_of(FigureKind) {
  return std::to_array<std::string_view>({"line", "points", "bars", "steps", "plain", "spans"});
}

// The text's colour, for what is no series of values: roofs, fronts.
inline constexpr std::uint32_t kTextColor = 1000;

struct FigureSeries {
  std::string name;  // empty: the legend does not have it
  FigureKind kind = FigureKind::kLine;
  // A place among colours that all can tell apart, or kTextColor. Where the figure's legend is a kind of
  // things that have colours of their own (traces/report/web/src/meanings.ts), the name's colour goes before.
  std::uint32_t color = 0;
  bool hollow = false;  // what was published beside what is predicted, in the same colour
  std::vector<FigurePoint> points;
};

// A coloured cell at whole-numbered places.
struct FigureCell {
  double x = 0, y = 0, value = 0;
};

// A line between two points that is coloured by its value, as cells are.
struct FigureLink {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0, value = 0;
  std::string name;
};

struct FigureMark {
  double x = 0, y = 0;
  std::string text;
};

struct Figure {
  std::string title, origin;  // origin: where the values are from
  FigureAxis x, y, color;     // color: of the cells and links
  std::string legend;         // above the series' names
  bool stacked = false;       // bars lie on those of the series before
  std::vector<FigureSeries> series;
  std::vector<FigureCell> cells;
  std::vector<FigureLink> links;
  std::vector<FigureMark> marks;  // words or numbers beside points
  std::vector<std::string> key;   // what the marks' numbers mean, a line each
};

// An axis on which all `values` (at least one, finite) lie: logarithmic where they are positive and span a
// factor of 8 or more, or are three or more doublings; else from zero where that is near, or marked as
// truncated.
FigureAxis figure_axis(std::string name, const std::vector<double>& values);
// An axis from zero, as bars have it.
FigureAxis axis_from_zero(std::string name, const std::vector<double>& values);
// An axis with a place for each name: 0, 1, 2, …
FigureAxis names_axis(std::string name, const std::vector<std::string>& names);

nlohmann::ordered_json figure_json(const Figure& figure);

}  // namespace a3sim
