#include "sim/sweep/results/effects_report.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/results/made_database.h"

using namespace a3sim;
using Catch::Contains;

namespace {

Report effects_on_latency(const SweepResults& sweep) {
  Report report;
  add_effects(sweep, "total", "latency", report);
  return report;
}

const ResultAxis kEp{"ep", {"4", "8", "16"}}, kOrder{"order", {"full", "ratr"}};

}  // namespace

TEST_CASE("What matters most is said with what it changes, and programs read each axis") {
  constexpr double kEpFactor[] = {1, 2, 4}, kRatrFactor = 0.8, kSkewFactor = 1.005;
  const Report report =
      effects_on_latency(full_grid({kOrder, kEp, {"skew", {"0", "1"}}}, [&](const auto& at) {
        return 3 * kEpFactor[at[1]] * (at[0] == 1 ? kRatrFactor : 1) * (at[2] == 1 ? kSkewFactor : 1);
      }));
  CHECK_THAT(report.text(),
             Contains("What matters most for latency of all passes: ep (a factor of 4) with all else equal: "
                      "in each of 4 comparisons; smallest at ep=4, largest at ep=16") &&
                 Contains("then order 25 %") && Contains("below 1 %: skew") && Contains("12 of 12 points\n"));
  const nlohmann::ordered_json json = report.json();
  CHECK(json["axes"][0]["axis"] == "ep");
  CHECK(json["axes"][1]["change"].get<double>() == Approx(1 / kRatrFactor - 1));
  CHECK(json["points"] == 12);
}

TEST_CASE("No axis matters most on flat data and on too few points; one alone is called so") {
  const auto says = [](const std::vector<ResultAxis>& axes, double step) {
    return effects_on_latency(full_grid(axes, [&](const auto& at) { return 6 + step * double(at[0]); }))
        .text();
  };
  CHECK_THAT(says({kEp, kOrder}, 1e-3), Contains("none (flat along every axis: from 6.000 to 6.002 ms)"));
  CHECK_THAT(says({{"ep", {"4"}}}, 1), Contains("none (1 point is too few)"));
  CHECK_THAT(says({kEp}, 1), Contains("ep, the only axis that varies: 33.3 %"));
}

TEST_CASE("Axes that matter alike are named together, and missing points are said") {
  SweepResults sweep = full_grid({kEp, kOrder, {"cut", {"a", "b"}}}, [](const auto& at) {
    return 10 * (1 + 0.01 * double(at[0] == 2)) * (at[1] == 1 ? 1.5 : 1) * (at[2] == 1 ? 1.48 : 1);
  });
  CHECK_THAT(effects_on_latency(sweep).text(), Contains("order (50 %) and cut (48 %) alike"));
  sweep.metrics[0].values[3] = NAN;
  CHECK_THAT(effects_on_latency(sweep).text(), Contains("11 of 12 points, the missing ones may change this"));
}

TEST_CASE(
    "Axes that change value for value are one, and points that differ on several axes allow no answer") {
  const SweepResults grid = full_grid({kEp, {"twin", {"a", "b", "c"}}, kOrder},
                                      [](const auto& at) { return 1 + double(at[0]) + 3 * double(at[2]); });
  std::vector<std::size_t> diagonal;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t order = 0; order < 2; ++order) diagonal.push_back(8 * i + order);
  }
  CHECK_THAT(effects_on_latency(select(grid, diagonal)).text(), Contains("ep/twin "));
  const SweepResults three = full_grid({{"a", {"1", "2"}}, {"b", {"1", "2"}}, {"c", {"1", "2"}}},
                                       [](const auto& at) { return 1 + double(at[0]); });
  CHECK_THAT(effects_on_latency(select(three, {0, 3, 5})).text(),
             Contains("none (no two points differ on one axis alone); 3 of 3 points"));
}
