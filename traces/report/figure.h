#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"

// The content of a figure. traces/report/web/src/drawing.ts draws it in a page.
namespace a3sim {

struct FigureAxis {
  std::string name;
  bool log = false;
  bool truncated = false;          // linear, and does not begin at zero, since all values lie far above it
  double low = 0, high = 1;        // both ends
  std::vector<double> places;      // places with names; empty: round numbers
  std::vector<std::string> names;  // one per place
};

// A point, with the range of its y value.
struct FigurePoint {
  double x = 0, y = 0, low = 0, high = 0;
  static FigurePoint at(double x, double y) { return {x, y, y, y}; }
};

enum class FigureKind : std::uint8_t {
  kLine,    // joined points, with a band if they have ranges
  kPoints,  // separate points, with whiskers
  kBars,    // beside those of other series, at places with names
  kSteps,   // level until the next point, then up or down to it
  kPlain,   // a line without points
  kSpans    // from `low` to `high` along x, at height y
};
constexpr auto names_of(FigureKind) {
  return std::to_array<std::string_view>({"line", "points", "bars", "steps", "plain", "spans"});
}

// The text's colour, for lines that are no series of values: roofs, fronts.
inline constexpr std::uint32_t kTextColor = 1000;
// A tone of it, for bars whose names stand below them.
inline constexpr std::uint32_t kInkColor = 2003;

struct FigureSeries {
  std::string name;  // empty: not in the legend
  FigureKind kind = FigureKind::kLine;
  // A place among colours that all can tell apart, or kTextColor or kInkColor. If the legend's things have colours of
  // their own (traces/report/web/src/meanings.ts), the colour of `name` is used instead.
  std::uint32_t color = 0;
  bool hollow = false;  // published values beside predictions of the same colour
  std::vector<FigurePoint> points;
};

// A coloured cell at integer places.
struct FigureCell {
  double x = 0, y = 0, value = 0;
};

// A line between two points, coloured by its value as cells are.
struct FigureLink {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0, value = 0;
  std::string name;
};

struct FigureMark {
  double x = 0, y = 0;
  std::string text;
};

struct Figure {
  std::string title, origin;  // origin: the source of the values
  FigureAxis x, y, color;     // color: of cells and links
  std::string legend;         // heading of the series' names
  bool stacked = false;       // bars stand on those of the series before
  std::vector<FigureSeries> series;
  std::vector<FigureCell> cells;
  std::vector<FigureLink> links;
  std::vector<FigureMark> marks;  // words or numbers at points
  std::vector<std::string> key;   // meanings of the marks' numbers, a line each
};

// Returns an axis that holds all `values` (at least one, finite). It is logarithmic if they are positive
// and span a factor of 8 or more, or are three or more doublings; else it starts at zero if that is near,
// or is marked as truncated.
FigureAxis figure_axis(std::string name, const std::vector<double>& values);
// Returns an axis from zero, for bars.
FigureAxis axis_from_zero(std::string name, const std::vector<double>& values);
// Returns an axis with a place for each name: 0, 1, 2, …
FigureAxis names_axis(std::string name, const std::vector<std::string>& names);

nlohmann::ordered_json figure_json(const Figure& figure);

}  // namespace a3sim
