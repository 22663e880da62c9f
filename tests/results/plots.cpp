#include "sim/study/results/plots.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <regex>

#include "sim/core/error.h"
#include "sim/study/results/plot_frame.h"
#include "tests/results/made_database.h"

using namespace a3sim;
using Catch::Contains;

namespace {

constexpr double kEps[] = {4, 8, 16, 32};

SweepResults ep_by_order() {
  return full_grid({{"ep", {"4", "8", "16", "32"}}, {"order", {"full", "<ratr>"}}, {"seed", {"1", "2"}}},
                   [](const auto& at) { return kEps[at[0]] * (1 + at[1]) + at[2]; });
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

std::vector<std::vector<SvgPoint>> polylines(const std::string& svg) {
  std::vector<std::vector<SvgPoint>> all;
  const std::regex line("<polyline points=\"([^\"]*)\""), point("([-0-9.]+),([-0-9.]+)");
  for (std::sregex_iterator l(svg.begin(), svg.end(), line), end; l != end; ++l) {
    const std::string points = (*l)[1];
    all.emplace_back();
    for (std::sregex_iterator p(points.begin(), points.end(), point); p != end; ++p)
      all.back().push_back({std::stod((*p)[1]), std::stod((*p)[2])});
  }
  return all;
}

}  // namespace

TEST_CASE("A line plot has a line and a band for each series, within the frame, at the medians") {
  const SweepResults sweep = ep_by_order();
  const std::string svg = lines_plot(sweep, sweep.metrics[0], "ep", "order");
  const auto lines = polylines(svg);
  REQUIRE(lines.size() == 2);
  CHECK(count(svg, "<polygon") == 2);
  const PlotArea area;
  for (const auto& line : lines) {
    REQUIRE(line.size() == 4);
    for (const SvgPoint& p : line) {
      CHECK((p.x > area.left && p.x < area.right));
      CHECK((p.y > area.top && p.y < area.bottom));
    }
  }
  // Both axes span a factor of 8 and more: each is logarithmic, with 4 % more than the values at either end.
  const auto share = [](double v, double low, double high) {
    return (std::log(v / low) / std::log(high / low) + 0.04) / 1.08;
  };
  CHECK(lines[1][1].x == Approx(area.left + share(8, 4, 32) * (area.right - area.left)).margin(0.01));
  CHECK(lines[1][1].y ==
        Approx(area.bottom - share(8 * 2 + 0.5, 4, 65) * (area.bottom - area.top)).margin(0.01));
  CHECK_THAT(svg, Contains(">latency (ms)<") && Contains(">ep<") && Contains(">16<") &&
                      Contains("&lt;ratr&gt;") && Contains("median and range over seed"));
  CHECK(svg == lines_plot(sweep, sweep.metrics[0], "ep", "order"));
}

TEST_CASE("Names lie evenly along an axis, and without a series there is one line") {
  const SweepResults sweep = ep_by_order();
  const auto lines = polylines(lines_plot(sweep, sweep.metrics[0], "order", ""));
  REQUIRE(lines.size() == 1);
  const PlotArea area;
  const double width = area.width - 30 - area.left;
  CHECK(lines[0][0].x == Approx(area.left + width / 4).margin(0.01));
  CHECK(lines[0][1].x == Approx(area.left + width * 3 / 4).margin(0.01));
}

TEST_CASE("A heat map has a cell for each pair, its number, and light and dark colours at the ends") {
  const SweepResults sweep = ep_by_order();
  const std::string svg = heat_plot(sweep, sweep.metrics[0], "ep", "order");
  CHECK(count(svg, R"(stroke="#ffffff" stroke-width="1")") == 4 * 2);
  CHECK_THAT(svg, Contains(">4.500<") && Contains(">64.50<") && Contains("#440154") && Contains("#fde725"));
  CHECK_THROWS_AS(heat_plot(sweep, sweep.metrics[0], "ep", "ep"), InputError);
}

TEST_CASE("A Pareto plot shows all points, the front as steps, and its labels") {
  SweepResults sweep = full_grid({{"ep", {"1", "2", "3", "4"}}}, [](const auto& at) { return 1 + at[0]; });
  sweep.metrics.push_back({"total", "sent", "MB", {4, 2, 3, 1}});
  const std::vector<Objective> objectives{objective_of(sweep, "total", "latency"),
                                          objective_of(sweep, "total", "sent")};
  const std::string svg = pareto_plot(sweep, objectives, "");
  CHECK(count(svg, "<circle") == 4 + 3);
  const auto lines = polylines(svg);
  REQUIRE(lines.size() == 1);
  // Three points of the front, and a corner before each but the first.
  REQUIRE(lines[0].size() == 5);
  for (std::size_t i = 1; i < 5; ++i)
    CHECK((i % 2 == 1 ? lines[0][i].y == lines[0][i - 1].y : lines[0][i].x == lines[0][i - 1].x));
  CHECK_THAT(svg, Contains("latency (ms), smaller is better"));
  CHECK_THROWS_AS(pareto_plot(sweep, {objectives[0]}, ""), InputError);
}

TEST_CASE("Ticks stand at 1, 2, 5 times powers of ten, or at powers of two over a factor of 8") {
  const auto labels = [](std::vector<double> values) {
    std::string text;
    for (const PlotTick& tick : plot_axis(values, 0, 100).ticks) text += tick.label + ' ';
    return text;
  };
  CHECK(labels({3, 9}) == "0 2 4 6 8 10 ");
  CHECK(labels({95, 105}) == "94 96 98 100 102 104 106 ");
  CHECK(labels({1, 8}) == "1 2 4 8 ");
  CHECK(labels({0.3, 5}) == "0.5 1 2 4 ");
  CHECK(labels({1, 1e6}) == "1 10 100 1000 10000 100000 1e+06 ");
  CHECK(labels({-5, 5}) == "-6 -4 -2 0 2 4 6 ");
  CHECK(labels({7}) == "6 6.5 7 7.5 8 ");
  CHECK(plot_axis(std::vector<double>{0, 10}, 0, 100).pixel(5) == Approx(50));
}

TEST_CASE("There is no plot of nothing, nor of more lines than can be told apart") {
  SweepResults sweep = ep_by_order();
  for (double& value : sweep.metrics[0].values) value = NAN;
  CHECK_THROWS_AS(lines_plot(sweep, sweep.metrics[0], "ep", "order"), InputError);
  CHECK_THROWS_AS(heat_plot(sweep, sweep.metrics[0], "ep", "order"), InputError);
  ResultAxis many{"seed", {}};
  for (std::size_t i = 0; i <= kMostSeries; ++i) many.values.push_back(fmt::format("{}", i));
  const SweepResults wide = full_grid({{"ep", {"1", "2"}}, many}, [](const auto&) { return 1; });
  CHECK_THROWS_WITH(lines_plot(wide, wide.metrics[0], "ep", "seed"), Contains("--where seed="));
}
