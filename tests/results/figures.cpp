#include "sim/study/results/figures.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/error.h"
#include "tests/results/made_database.h"

using namespace a3sim;
using Catch::Contains;

namespace {

constexpr double kEps[] = {4, 8, 16, 32};

SweepResults ep_by_order() {
  return full_grid({{"ep", {"4", "8", "16", "32"}}, {"order", {"full", "it's <ratr>"}}, {"seed", {"1", "2"}}},
                   [](const auto& at) { return kEps[at[0]] * (1 + at[1]) + at[2]; });
}

// The axis' own choice for these values.
FigureAxis axis_of(const std::vector<double>& values) { return figure_axis("x", values); }

SweepResults four_points(const std::vector<double>& sent) {
  SweepResults sweep = full_grid({{"ep", {"1", "2", "3", "4"}}}, [](const auto& at) { return 1 + at[0]; });
  sweep.metrics.push_back({"total", "sent", "MB", sent});
  return sweep;
}

Figure pareto_of(const SweepResults& sweep) {
  return pareto_figure(sweep, {objective_of(sweep, "total", "latency"), objective_of(sweep, "total", "sent")},
                       "");
}

}  // namespace

TEST_CASE("A line plot has a line and a band for each series, at the medians, between least and most") {
  const SweepResults sweep = ep_by_order();
  const Figure figure = lines_figure(sweep, sweep.metrics[0], "ep", "order");
  REQUIRE(figure.series.size() == 2);
  for (std::size_t order = 0; order < 2; ++order) {
    REQUIRE(figure.series[order].points.size() == 4);
    for (std::size_t ep = 0; ep < 4; ++ep) {
      const FigurePoint& point = figure.series[order].points[ep];
      const double least = kEps[ep] * static_cast<double>(1 + order);
      CHECK(point.x == kEps[ep]);
      CHECK(point.y == least + 0.5);
      CHECK(point.low == least);
      CHECK(point.high == least + 1);
      CHECK((figure.y.low < point.low && point.high < figure.y.high));
    }
  }
  // Both axes span a factor of 8 and more; the places on x have their own names.
  CHECK((figure.x.log && figure.y.log));
  CHECK(figure.x.names == std::vector<std::string>{"4", "8", "16", "32"});
  CHECK(figure.y.name == "latency (ms)");
  CHECK_THAT(figure.origin, Contains("median and range over seed"));
}

TEST_CASE("Names lie evenly along an axis, and without a series there is one line") {
  const SweepResults sweep = ep_by_order();
  const Figure figure = lines_figure(sweep, sweep.metrics[0], "order", "");
  REQUIRE(figure.series.size() == 1);
  CHECK(figure.legend.empty());
  CHECK(figure.series[0].points[0].x == 0);
  CHECK(figure.series[0].points[1].x == 1);
  CHECK((figure.x.low == -0.5 && figure.x.high == 1.5));
}

TEST_CASE("A heat map has a cell for each pair, with the median") {
  const SweepResults sweep = ep_by_order();
  const Figure figure = heat_figure(sweep, sweep.metrics[0], "ep", "order");
  REQUIRE(figure.cells.size() == 4 * 2);
  CHECK(figure.cells.front().value == 4.5);
  CHECK(figure.cells.back().value == 64.5);
  CHECK((figure.cells.back().x == 1 && figure.cells.back().y == 0));  // the last row is the lowest
  CHECK(figure.y.names.front() == "32");
  CHECK_THROWS_AS(heat_figure(sweep, sweep.metrics[0], "ep", "ep"), InputError);
}

TEST_CASE("A Pareto plot shows all points, the front in order, and a number for each with its place") {
  const Figure figure = pareto_of(four_points({4, 2, 3, 1}));
  CHECK(figure.series[0].points.size() == 4);
  const std::vector<FigurePoint>& steps = figure.series.back().points;
  REQUIRE(steps.size() == 3);
  CHECK((steps[1].x == 2 && steps[1].y == 2));
  REQUIRE(figure.marks.size() == 3);
  CHECK(figure.marks[2].text == "3");
  CHECK(figure.key == std::vector<std::string>{"1: 1", "2: 2", "3: 4"});
  CHECK_THAT(figure.x.name, Contains("latency (ms), smaller is better"));
  const SweepResults sweep = four_points({4, 2, 3, 1});
  CHECK_THROWS_AS(pareto_figure(sweep, {objective_of(sweep, "total", "latency")}, ""), InputError);
}

TEST_CASE("Points of the front that lie on one another share a mark, and none loses its place") {
  SweepResults sweep = four_points({4, 2, 2, 2});
  for (const std::size_t point : {1U, 2U}) sweep.metrics[0].values[point] = 2;
  const Figure figure = pareto_of(sweep);
  REQUIRE(figure.marks.size() == 2);
  CHECK(figure.marks[1].text == "2, 3");
  CHECK(figure.key == std::vector<std::string>{"1: 1", "2: 2", "3: 3"});
}

TEST_CASE("An axis begins at zero where that is near, and says so where it does not") {
  CHECK(axis_of({3, 9}).low == 0);
  CHECK_FALSE(axis_of({3, 9}).truncated);
  CHECK(axis_of({95, 105}).truncated);
  CHECK((axis_of({95, 105}).low < 95 && axis_of({95, 105}).low > 90));
  CHECK_FALSE(axis_of({-5, 5}).truncated);
  CHECK(axis_of({1, 8}).log);
  CHECK_FALSE(axis_of({1, 7.9}).log);
  CHECK_FALSE(axis_of({0, 8}).log);
  // Three or more doublings lie evenly, whatever they span.
  CHECK((axis_of({4, 8, 16}).log && axis_of({48, 192, 96, 96}).log));
  CHECK_FALSE(axis_of({4, 8}).log);
  CHECK_FALSE(axis_of({4, 8, 12}).log);
  CHECK((axis_of({7}).low < 7 && axis_of({7}).high > 7));
  // Values that differ by their last digits alone are drawn as equal ones.
  CHECK(axis_of({0.3, 0.1 + 0.2}).high > 0.301);

  SweepResults flat = ep_by_order();
  for (double& value : flat.metrics[0].values) value = 100 + value / 10;
  const Figure figure = lines_figure(flat, flat.metrics[0], "order", "");
  CHECK_THAT(figure.y.name, Contains("does not begin at 0"));
}

TEST_CASE("There is no plot of nothing, nor of more lines than can be told apart") {
  SweepResults sweep = ep_by_order();
  for (double& value : sweep.metrics[0].values) value = NAN;
  CHECK_THROWS_AS(lines_figure(sweep, sweep.metrics[0], "ep", "order"), InputError);
  CHECK_THROWS_AS(heat_figure(sweep, sweep.metrics[0], "ep", "order"), InputError);
  ResultAxis many{"seed", {}};
  for (std::size_t i = 0; i <= kMostSeries; ++i) many.values.push_back(fmt::format("{}", i));
  const SweepResults wide = full_grid({{"ep", {"1", "2"}}, many}, [](const auto&) { return 1; });
  CHECK_THROWS_WITH(lines_figure(wide, wide.metrics[0], "ep", "seed"), Contains("--where seed="));
}
