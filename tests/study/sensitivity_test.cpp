#include "sim/study/calibration/sensitivity.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/study/calibration/intervals.h"
#include "tests/study/toy.h"

using namespace a3sim;

namespace {

constexpr double kBase = 10, kFirst = 4, kSecond = -1;

// 10 + 4 x - y, and something that nothing moves.
std::vector<double> linear(std::span<const double> positions) {
  return {kBase + kFirst * positions[0] + kSecond * positions[1], 7};
}

bool at_all_points(std::span<const double>) { return true; }

const std::vector<double> kNominal{0.5, 0.25, 0.5};  // the last one moves nothing

SensitivityOptions many(std::uint32_t draws, unsigned threads = 1) { return {draws, 1, true, threads}; }

struct ToyStudy {
  explicit ToyStudy(const Toy& toy, SensitivityOptions options = {})
      : predictor({{toy.table(), {}}}, toy.scenario, ranged_parameters(toy.hardware())),
        result(sensitivity([&](std::span<const double> positions) { return predictor.at(positions); },
                           at_all_points, predictor.nominal(), options)) {}
  std::vector<Point> points() const {
    std::vector<Point> points;
    for (const Predictor::Named& named : predictor.points()) points.push_back(named.comparison.point);
    return points;
  }
  Predictor predictor;
  Sensitivity result;
};

}  // namespace

TEST_CASE("without ends the draws are the same, and nothing is said to move a value") {
  const Model sum = [](std::span<const double> at) { return std::vector<double>{at[0] + at[1]}; };
  const Admissible all = [](std::span<const double>) { return true; };
  const std::vector<double> nominal{0.5, 0.5};
  const Sensitivity with = sensitivity(sum, all, nominal, {100, 1, true, 1}),
                    without = sensitivity(sum, all, nominal, {100, 1, false, 1});
  CHECK(without.values[0].low == with.values[0].low);
  CHECK(without.values[0].high == with.values[0].high);
  CHECK(with.values[0].movers().size() == 2);
  CHECK(without.values[0].movers().empty());
}

TEST_CASE("a quantile lies between two numbers in proportion") {
  CHECK(quantile({5}, 0.05) == 5);
  CHECK(quantile({3, 1, 2}, 0.5) == 2);
  CHECK(quantile({0, 10}, 0.25) == 2.5);
  CHECK(quantile({4, 3, 2, 1, 0}, 1) == 4);
}

TEST_CASE("the ends of a linear function's parameters, and its 5 and 95 %, are those of its closed form") {
  constexpr std::uint32_t kDraws = 20'000;
  const Sensitivity result = sensitivity(linear, at_all_points, kNominal, many(kDraws));
  const Sensitivity::Of& of = result.values[0];
  CHECK(of.nominal == kBase + kFirst * 0.5 + kSecond * 0.25);
  CHECK(of.ends[0][0] == kBase + kSecond * 0.25);
  CHECK(of.ends[0][1] == kBase + kFirst + kSecond * 0.25);
  CHECK(of.ends[1][0] == kBase + kFirst * 0.5);
  CHECK(of.ends[1][1] == kBase + kFirst * 0.5 + kSecond);
  CHECK(of.ends[2][0] == of.nominal);
  CHECK(of.movers() == std::vector<std::size_t>{0, 1});
  // The sum of uniform parts of widths 4 and 1 is a trapezium: below its left edge plus 1 lies 1/8.
  const double corner = std::sqrt(0.05 * 2 * kFirst * -kSecond);
  CHECK(of.low == Approx(kBase + kSecond + corner).margin(0.05));
  CHECK(of.high == Approx(kBase + kFirst - corner).margin(0.05));
}

TEST_CASE("what nothing moves has no movers and no width") {
  const Sensitivity::Of of = sensitivity(linear, at_all_points, kNominal, many(20)).values[1];
  CHECK(of.movers().empty());
  CHECK(of.low == 7);
  CHECK(of.high == 7);
}

TEST_CASE("a nearer end is taken where the far one is not admissible, and draws stay inside") {
  const Admissible below = [](std::span<const double> positions) { return positions[0] <= 0.75; };
  std::atomic<bool> outside = false;
  const Sensitivity result = sensitivity(
      [&](std::span<const double> positions) {
        if (positions[0] > 0.75) outside = true;
        return linear(positions);
      },
      below, kNominal, many(200));
  CHECK(!outside);
  CHECK(result.values[0].ends[0][1] == Approx(kBase + kFirst * 0.75 + kSecond * 0.25).epsilon(1e-5));
  CHECK(result.values[0].ends[0][0] == kBase + kSecond * 0.25);
  CHECK_THROWS_AS(sensitivity(
                      linear, [](std::span<const double> p) { return p[0] == 0.5; }, kNominal, many(20)),
                  RunError);
}

TEST_CASE("the same seed gives the same draws whatever the number of threads, another one others") {
  const Sensitivity one = sensitivity(linear, at_all_points, kNominal, many(200)),
                    three = sensitivity(linear, at_all_points, kNominal, many(200, 3)),
                    other = sensitivity(linear, at_all_points, kNominal, {200, 2, 1});
  CHECK(one.values[0].low == three.values[0].low);
  CHECK(one.values[0].high == three.values[0].high);
  CHECK(one.values[0].low != other.values[0].low);
}

TEST_CASE("each piece of parallel work is done once, and the first failure is told") {
  std::vector<int> done(100, 0);
  in_parallel(done.size(), 4, [&](std::size_t i) { ++done[i]; });
  CHECK(done == std::vector<int>(100, 1));
  in_parallel(0, 4, [](std::size_t) { throw RunError("none"); });
  const auto failing = [](std::size_t i) {
    if (i % 10 == 3) throw RunError(std::to_string(i));
  };
  CHECK_THROWS_WITH(in_parallel(100, 4, failing), "3");
}

TEST_CASE("predictions move with the hardware file's values, and variants are left out") {
  const Toy toy;
  const ToyStudy study(toy, many(20));
  REQUIRE(study.result.values.size() == 4);
  std::size_t hbm = 0;
  while (study.predictor.parameters()[hbm].path() != "hardware.memory.hbm_read") ++hbm;
  const Sensitivity::Of& copy = study.result.values[0];
  CHECK(copy.nominal == Approx(Toy::copy(1.33)));
  CHECK(copy.ends[hbm][0] == Approx(Toy::copy(1.2)));
  CHECK(copy.ends[hbm][1] == Approx(Toy::copy(1.4)));
  CHECK(copy.movers() == std::vector<std::size_t>{hbm});
  CHECK(study.result.values[2].movers().size() == 2);
}

TEST_CASE("intervals are kept under the key of what they depend on, and found again") {
  const Toy toy;
  const ToyStudy study(toy, many(20));
  const std::string key = interval_key(study.points(), toy.hardware(), many(20));
  Intervals intervals;
  CHECK(!intervals.fits("toy", key));
  intervals.set("toy", study.predictor, study.result, key);
  toy.write("reference/sensitivity.json", intervals.json().dump());
  const Intervals read = Intervals::open(Intervals::file_in(toy.scenario.configs));
  CHECK(read.fits("toy", key));
  CHECK(!read.fits("other", key));
  const Point copy = study.points()[0];
  CHECK(read.text("toy", copy) == intervals.text("toy", copy));
  CHECK(read.text("toy", copy).find("..") != std::string::npos);
  CHECK(read.movers("toy", copy) == "memory.hbm_read +10.8 -5.0 %");  // 1.33 / 1.2, 1.33 / 1.4
  Point variant = copy;
  variant.variant = "twice";
  CHECK(read.text("toy", variant).empty());
  CHECK(Intervals::open(toy.scenario.configs / "nowhere.json").text("toy", copy).empty());
  CHECK(read.has("toy"));
  CHECK(!read.has("copy"));
  CHECK(!Intervals::open(toy.scenario.configs / "nowhere.json").has("toy"));
  toy.write("reference/sensitivity.json", "[1, 2]");
  CHECK_THROWS_AS(Intervals::open(Intervals::file_in(toy.scenario.configs)), InputError);
}

TEST_CASE("a new value, range or prediction makes intervals stale; comments, sources and variants do not") {
  const Toy toy;
  const auto key = [](const Toy& toy, const SensitivityOptions& options = {}) {
    return interval_key(toy.predicted().points, toy.hardware(), options);
  };
  const std::string known = key(toy);
  CHECK(key(Toy()) == known);
  CHECK(key(Toy(Toy::kHbm, Toy::kL2,
                "{value: 200 ns, range: [100 ns, 300 ns], source: other, note: n} # why")) == known);
  CHECK(key(Toy(Toy::kHbm, Toy::kL2, "{value: 200 ns, range: [100 ns, 310 ns], source: s}")) != known);
  CHECK(key(Toy(Toy::kHbm, Toy::kL2, "{value: 210 ns, range: [100 ns, 300 ns], source: s}")) != known);
  CHECK(key(toy, many(20)) != known);
  Toy faster;
  faster.scenario.overrides = {"hardware.memory.hbm_read=1.34 TB/s"};
  CHECK(key(faster) != known);
  CHECK(interval_key(toy.predicted({.variants = false}).points, toy.hardware(), {}) == known);
}
