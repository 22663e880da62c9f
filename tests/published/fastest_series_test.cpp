#include <catch2/catch.hpp>

#include "sim/published/published_figure.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

Comparison preset_point(const std::string& preset, int ep, double ms) {
  Comparison one;
  one.point.coordinates = {{"preset", preset}, {"ep", ep}, {"pass", "forward"}};
  one.point.metric = "latency";
  one.point.unit = "ms";
  one.point.value = ms;
  return one;
}

PublishedTable table_with_figure() {
  PublishedTable table;
  table.name = "presets";
  table.figures.push_back({"Latency", "latency", {"ep"}, "preset", false, {{"pass", "forward"}}});
  return table;
}

}  // namespace

TEST_CASE("where nothing is published, a table says which series is the fastest in how many cases") {
  std::vector<Comparison> points{preset_point("kernels", 4, 16), preset_point("tiles", 4, 10),
                                 preset_point("found", 4, 12),   preset_point("kernels", 8, 18),
                                 preset_point("tiles", 8, 15),   preset_point("found", 8, 12)};
  points.push_back(preset_point("tiles", 16, 1));  // alone, so it is no case
  const FastestSeries fastest = fastest_series(table_with_figure(), points);
  CHECK(fastest.text == "found is the fastest of 3 in 1 of 2 cases, tiles in 1.");
  const std::string text = fastest.cases.text();
  CHECK_THAT(text,
             Contains("Latency, ep 4") && Contains("kernels ms") && Contains("1.60") && Contains("1.50"));
  // Points of other passes and variants are not in the figure.
  points.push_back(preset_point("found", 4, 1));
  points.back().point.variant = "otherwise";
  points.push_back(preset_point("found", 8, 1));
  points.back().point.coordinates["pass"] = "backward";
  CHECK(fastest_series(table_with_figure(), points).text == fastest.text);
}

TEST_CASE("a table with published values, or without figures of times, has no fastest series") {
  std::vector<Comparison> points{preset_point("kernels", 4, 16), preset_point("tiles", 4, 10)};
  CHECK_FALSE(fastest_series(table_with_figure(), points).text.empty());
  points[0].reference.emplace();
  CHECK(fastest_series(table_with_figure(), points).text.empty());
  points[0].reference.reset();
  for (Comparison& one : points) one.point.unit = "fraction";
  CHECK(fastest_series(table_with_figure(), points).text.empty());
  PublishedTable without = table_with_figure();
  without.figures.clear();
  CHECK(fastest_series(without, points).text.empty());
}
