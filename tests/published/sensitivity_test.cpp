#include "sim/published/fit/sensitivity.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/published/fit/intervals.h"
#include "tests/published/toy.h"

using namespace a3sim;

namespace {

constexpr double kBase = 10, kFirst = 4, kSecond = -1;

// 10 + 4 x - y, and something that nothing moves.
std::vector<double> linear(std::span<const double> positions) {
  return {kBase + kFirst * positions[0] + kSecond * positions[1], 7};
}

// How much of a triangular distribution from 0 to 1 with this peak lies below x, from its two areas.
double triangle_below(double x, double peak) {
  if (x <= peak) return peak > 0 ? x * x / peak : 0;
  return 1 - (1 - x) * (1 - x) / (1 - peak);
}

// What a share of 4 x - y stays below, x and y triangular round these peaks: by adding up narrow columns of x.
double quantile_of_sum(double share, double peak_x, double peak_y) {
  constexpr int kColumns = 4000;
  const auto below = [&](double z) {
    double sum = 0;
    for (int i = 0; i < kColumns; ++i) {
      const double left = static_cast<double>(i) / kColumns, right = (i + 1.0) / kColumns;
      const double y = (kFirst * (left + right) / 2 - z) / -kSecond;  // 4 x - y < z: y above this
      sum += (triangle_below(right, peak_x) - triangle_below(left, peak_x)) *
             (1 - triangle_below(std::clamp(y, 0.0, 1.0), peak_y));
    }
    return sum;
  };
  double low = kSecond, high = kFirst;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (below(middle) < share ? low : high) = middle;
  }
  return low;
}

bool at_all_points(std::span<const double>) { return true; }

const std::vector<double> kNominal{0.5, 0.25, 0.5};  // the last one moves nothing

SensitivityOptions many(std::uint32_t draws, unsigned threads = 1) { return {draws, 1, true, threads}; }

struct ToyStudy {
  explicit ToyStudy(const Toy& toy, SensitivityOptions options = {})
      : predictor({{toy.table(), {}}}, toy.scenario, ranged_parameters(toy.files())),
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

TEST_CASE("the ends of a linear function's parameters, and its 5 and 95 %, are those of its closed form") {
  constexpr std::uint32_t kDraws = 20'000;
  const Sensitivity result = sensitivity(linear, at_all_points, kNominal, many(kDraws));
  const Sensitivity::PointRange& range = result.values[0];
  CHECK(range.nominal == kBase + kFirst * 0.5 + kSecond * 0.25);
  CHECK(range.ends[0][0] == kBase + kSecond * 0.25);
  CHECK(range.ends[0][1] == kBase + kFirst + kSecond * 0.25);
  CHECK(range.ends[1][0] == kBase + kFirst * 0.5);
  CHECK(range.ends[1][1] == kBase + kFirst * 0.5 + kSecond);
  CHECK(range.ends[2][0] == range.nominal);
  CHECK(range.movers() == std::vector<std::size_t>{0, 1});
  CHECK(range.low == Approx(kBase + quantile_of_sum(0.05, 0.5, 0.25)).margin(0.03));
  CHECK(range.high == Approx(kBase + quantile_of_sum(0.95, 0.5, 0.25)).margin(0.03));
}

TEST_CASE("draws are triangular round the nominal value: the closed form of one parameter") {
  constexpr std::uint32_t kDraws = 20'000;
  const Model itself = [](std::span<const double> at) { return std::vector<double>{at[0]}; };
  for (const double peak : {0.1, 0.3, 0.5, 0.8}) {
    INFO(peak);
    const auto of = sensitivity(itself, at_all_points, std::vector{peak}, many(kDraws)).values[0];
    CHECK(triangle_below(of.low, peak) == Approx(0.05).margin(0.006));
    CHECK(triangle_below(of.high, peak) == Approx(0.95).margin(0.006));
  }
}

TEST_CASE("the nominal value lies inside its bar, wherever values stand in their ranges") {
  for (const double x : {0.0, 0.02, 0.5, 1.0}) {
    for (const double y : {0.0, 0.5, 0.99, 1.0}) {
      const auto of = sensitivity(linear, at_all_points, std::vector{x, y, 0.5}, many(100)).values[0];
      INFO(x << " " << y);
      CHECK((of.low <= of.nominal && of.nominal <= of.high));
      CHECK((of.low >= kBase + kSecond && of.high <= kBase + kFirst));  // inside the ranges
    }
  }
  // x at its low end, y at its high end: whatever is drawn is larger.
  const auto end = sensitivity(linear, at_all_points, std::vector{0.0, 1.0, 0.5}, many(100)).values[0];
  CHECK(end.low == end.nominal);
  CHECK(end.high > end.nominal);
}

TEST_CASE("what nothing moves has no movers and no width") {
  const Sensitivity::PointRange range = sensitivity(linear, at_all_points, kNominal, many(20)).values[1];
  CHECK(range.movers().empty());
  CHECK(range.low == 7);
  CHECK(range.high == 7);
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
  std::vector<int> begun;
  CHECK_THROWS_WITH(in_parallel(100, 1,
                                [&](std::size_t i) {
                                  begun.push_back(static_cast<int>(i));
                                  failing(i);
                                }),
                    "3");
  CHECK(begun == std::vector{0, 1, 2, 3});
}

TEST_CASE("predictions move with the hardware file's values, and variants are left out", "[slow]") {
  const Toy toy;
  const ToyStudy study(toy, many(20));
  REQUIRE(study.result.values.size() == 4);
  std::size_t hbm = 0;
  while (study.predictor.parameters()[hbm].path() != "hardware.memory.hbm_read") ++hbm;
  const Sensitivity::PointRange& copy = study.result.values[0];
  CHECK(copy.nominal == Approx(Toy::copy(1.33)));
  CHECK(copy.ends[hbm][0] == Approx(Toy::copy(1.2)));
  CHECK(copy.ends[hbm][1] == Approx(Toy::copy(1.4)));
  CHECK(copy.movers() == std::vector<std::size_t>{hbm});
  CHECK(study.result.values[2].movers().size() == 2);
}

TEST_CASE("intervals are kept under the key of what they depend on, and found again", "[slow]") {
  const Toy toy;
  const ToyStudy study(toy, many(20));
  const std::string key = interval_key(study.points(), toy.files(), many(20));
  Intervals intervals;
  CHECK(!intervals.fits("toy", key));
  intervals.set("toy", study.predictor, study.result, key);
  toy.write("reference/sensitivity.json", intervals.json().dump());
  const Intervals read = Intervals::open(Intervals::file_in(toy.scenario.configs));
  CHECK(read.fits("toy", key));
  CHECK(!read.fits("other", key));
  const Point copy = study.points()[0];
  REQUIRE(read.bar("toy", copy));
  CHECK(read.bar("toy", copy)->low == study.result.values[0].low);
  CHECK(read.bar("toy", copy)->high == study.result.values[0].high);
  CHECK(read.bar("toy", copy)->holds(copy.value));
  CHECK(read.movers("toy", copy) == "memory.hbm_read +10.8 -5.0 %");  // 1.33 / 1.2, 1.33 / 1.4
  Point variant = copy;
  variant.variant = "twice";
  CHECK_FALSE(read.bar("toy", variant));
  CHECK_FALSE(Intervals::open(toy.scenario.configs / "nowhere.json").bar("toy", copy));
  CHECK(read.has("toy"));
  CHECK(!read.has("copy"));
  CHECK(!Intervals::open(toy.scenario.configs / "nowhere.json").has("toy"));
  toy.write("reference/sensitivity.json", "[1, 2]");
  CHECK_THROWS_AS(Intervals::open(Intervals::file_in(toy.scenario.configs)), InputError);
}

TEST_CASE("a new value, range or prediction makes intervals stale; comments, sources and variants do not") {
  const Toy toy;
  const auto key = [](const Toy& toy, const SensitivityOptions& options = {}) {
    return interval_key(toy.predicted().points, toy.files(), options);
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
  CHECK(interval_key(toy.predicted({.variants = false}).points, toy.files(), {}) == known);
}
