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

TEST_CASE("What matters most is said with shares, and programs read the mean of each value") {
  constexpr double kEpLatency[] = {4, 10, 22}, kRatrGain = 0.5;
  const Report report = effects_on_latency(
      full_grid({kEp, kOrder}, [&](const auto& at) { return kEpLatency[at[0]] - kRatrGain * at[1]; }));
  CHECK_THAT(report.text(), Contains("What matters most for latency of all passes: ep, 99.") &&
                                Contains("(mean 3.750 ms at 4, 21.75 at 16)") && Contains("then order 0."));
  const nlohmann::ordered_json json = report.json();
  CHECK(json["axes"][0]["axis"] == "ep");
  CHECK(json["values"].back()["value"] == "ratr");
  CHECK(json["values"].back()["mean_minus_grand_mean"].get<double>() == Approx(-kRatrGain / 2));
  CHECK(json["interactions_share"].get<double>() == Approx(0).margin(1e-12));
}

TEST_CASE("Nothing matters most on flat data, on too few points, and along one axis") {
  const auto says = [](const std::vector<ResultAxis>& axes, double step) {
    return effects_on_latency(full_grid(axes, [&](const auto& at) { return 6 + step * at[0]; })).text();
  };
  CHECK_THAT(says({kEp, kOrder}, 1e-3), Contains("none (flat: from 6.000 to 6.002 ms)"));
  CHECK_THAT(says({{"ep", {"4"}}}, 1), Contains("none (1 point"));
  CHECK_THAT(says({kEp}, 1), Contains("none (one axis alone varies)"));
}

TEST_CASE("Axes that change value for value are one, and as many effects as points allow no answer") {
  const SweepResults grid = full_grid({kEp, {"twin", {"a", "b", "c"}}, kOrder},
                                      [](const auto& at) { return 1 + at[0] + 3 * at[2]; });
  std::vector<std::size_t> diagonal;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t order = 0; order < 2; ++order) diagonal.push_back(8 * i + order);
  }
  CHECK_THAT(effects_on_latency(select(grid, diagonal)).text(), Contains("ep and twin "));
  const SweepResults small =
      full_grid({{"a", {"1", "2"}}, {"b", {"1", "2"}}}, [](const auto& at) { return 1 + at[0]; });
  CHECK_THAT(effects_on_latency(select(small, {0, 1, 2})).text(), Contains("no more points than effects"));
}
