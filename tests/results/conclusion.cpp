#include "sim/study/results/conclusion.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/results/made_database.h"

using namespace a3sim;
using Catch::Contains;

namespace {

Report concluded(const SweepResults& sweep) {
  Report report;
  conclude(sweep, "total", "latency", report);
  return report;
}

constexpr double kBandwidths[] = {50, 100, 200, 300, 400, 600, 800};
constexpr double kKnee = 250, kCompute = 6, kRatrGain = 0.3;

ResultAxis bandwidths() {
  ResultAxis axis{"bandwidth", {}};
  for (const double b : kBandwidths) axis.values.push_back(fmt::format("{} GB/s", b));
  return axis;
}

// The link binds below kKnee, arithmetic above it.
SweepResults planted() {
  SweepResults sweep = full_grid({bandwidths(), {"order", {"full", "ratr"}}}, [](const auto& at) {
    return kCompute * std::max(1.0, kKnee / kBandwidths[at[0]]) - kRatrGain * at[1];
  });
  ResultMetric link{"total", "blame.link", "ms", {}}, compute{"total", "blame.compute", "ms", {}};
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const bool below = kBandwidths[sweep.points[i].levels[0]] < kKnee;
    link.values.push_back(sweep.metrics[0].values[i] * (below ? 0.75 : 0.1));
    compute.values.push_back(sweep.metrics[0].values[i] * (below ? 0.25 : 0.9));
  }
  sweep.metrics.push_back(std::move(compute));
  sweep.metrics.push_back(std::move(link));
  return sweep;
}

}  // namespace

TEST_CASE("The conclusion names the planted knee, what binds on either side, and what matters most") {
  const Report report_of_conclusion = concluded(planted());
  const nlohmann::ordered_json conclusion = report_of_conclusion.json();
  const auto& knee = conclusion["shapes"][0];
  CHECK(knee["axis"] == "bandwidth");
  CHECK(knee["shape"] == "knee");
  CHECK(knee["unit"] == "GB/s");
  CHECK(knee["from"].get<double>() == Approx(kKnee).epsilon(0.03));
  CHECK(knee["binds_below"] == "link");
  CHECK(knee["binds_below_share"].get<double>() == Approx(0.75));
  CHECK(knee["binds_above"] == "compute");
  CHECK(knee["binds_above_share"].get<double>() == Approx(0.9));
  CHECK(conclusion["effects"][0]["axis"] == "bandwidth");
  const auto& ratr = conclusion["effects_of_values"].back();
  CHECK(ratr["value"] == "ratr");
  CHECK(ratr["mean_minus_grand_mean"].get<double>() == Approx(-kRatrGain / 2));
  CHECK(conclusion["interactions_share"].get<double>() == Approx(0).margin(1e-12));
  CHECK_THAT(report_of_conclusion.text(), Contains("knee along bandwidth: at 2") &&
                                              Contains("link binds below (75 %") &&
                                              Contains("what matters most: bandwidth"));
}

TEST_CASE("The conclusion is none on flat data and on too few points") {
  const SweepResults flat = full_grid({bandwidths(), {"order", {"full", "ratr"}}},
                                      [](const auto& at) { return kCompute * (1 + 1e-4 * at[0]); });
  CHECK_THAT(concluded(flat).text(), Contains("none: flat"));
  const SweepResults one = full_grid({{"ep", {"4"}}}, [](const auto&) { return 1; });
  CHECK_THAT(concluded(one).text(), Contains("none: 1 point"));
  const SweepResults two = full_grid({{"ep", {"4", "8"}}}, [](const auto& at) { return 1 + at[0]; });
  CHECK_THAT(concluded(two).text(), Contains("none: 2 points"));
}

TEST_CASE("An interior optimum and a step are said with their values, and what binds on either side") {
  const std::vector<std::string> workers{"2", "4", "8", "16", "25", "32", "50"};
  constexpr double kOptimum[] = {40, 34, 30, 27.5, 28.6, 29.9, 31.2}, kStep[] = {30, 30, 30, 24, 24, 24, 24};
  SweepResults optimum = full_grid({{"aiv", workers}}, [&](const auto& at) { return kOptimum[at[0]]; });
  ResultMetric link{"total", "blame.link", "ms", {}}, compute{"total", "blame.compute", "ms", {}};
  for (std::size_t i = 0; i < workers.size(); ++i) {
    link.values.push_back(i < 3 ? 3 : 1);
    compute.values.push_back(2);
  }
  optimum.metrics.push_back(compute);
  optimum.metrics.push_back(link);
  const Report best = concluded(optimum);
  CHECK_THAT(best.text(), Contains("interior optimum along aiv: latency is lowest at 16; it falls by ") &&
                              Contains("and rises by ") && Contains("link binds below (60 %") &&
                              Contains("compute above (66.7 %)"));
  CHECK(best.json()["shapes"][0]["shape"] == "optimum");
  CHECK(best.json()["shapes"][0]["from"] == 16);
  const Report step = concluded(full_grid({{"aiv", workers}}, [&](const auto& at) { return kStep[at[0]]; }));
  CHECK_THAT(step.text(), Contains("step along aiv: between 8 and 16; latency falls by 20 %"));
  CHECK(step.json()["shapes"][0]["to"] == 16);
}

TEST_CASE("A straight line has no knee, and of one axis none matters most") {
  const SweepResults line =
      full_grid({bandwidths()}, [](const auto& at) { return 10 + kBandwidths[at[0]] / 10; });
  const Report report_of_conclusion = concluded(line);
  const nlohmann::ordered_json conclusion = report_of_conclusion.json();
  CHECK(conclusion["shapes"][0]["shape"] == "none");
  CHECK(conclusion["shapes"][0]["from"].is_null());
  CHECK_THAT(report_of_conclusion.text(),
             Contains("no knee, optimum or step along bandwidth: ") && Contains("matters most: none"));
}

TEST_CASE("Axes that change value for value have their knee together") {
  SweepResults grid =
      full_grid({bandwidths(), {"ingress", {"a", "b", "c", "d", "e", "f", "g"}}},
                [](const auto& at) { return kCompute * std::max(1.0, kKnee / kBandwidths[at[0]]); });
  std::vector<std::size_t> diagonal;
  for (std::size_t i = 0; i < 7; ++i) diagonal.push_back(8 * i);
  const Report report_of_zipped = concluded(select(grid, diagonal));
  const nlohmann::ordered_json zipped = report_of_zipped.json();
  CHECK_THAT(report_of_zipped.text(),
             Contains("knee along bandwidth and ingress: at 2") && Contains("none (one axis alone"));
  CHECK_FALSE(zipped.contains("effects"));
}

TEST_CASE("As many effects as points allow no conclusion on what matters") {
  SweepResults grid =
      full_grid({{"a", {"1", "2"}}, {"b", {"1", "2"}}}, [](const auto& at) { return 1 + at[0]; });
  CHECK_THAT(concluded(select(grid, {0, 1, 2})).text(), Contains("no more points than effects"));
}
