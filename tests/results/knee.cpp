#include "sim/study/results/knee.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "sim/core/rng.h"
#include "sim/study/results/broken_line.h"

using namespace a3sim;

namespace {

using Numbers = std::vector<double>;

Numbers powers_of_two(int count) {
  Numbers x;
  for (int i = 0; i < count; ++i) x.push_back(std::exp2(i));
  return x;
}
Numbers steps(int count) {
  Numbers x;
  for (int i = 1; i <= count; ++i) x.push_back(100.0 * i);
  return x;
}
// The same on every machine, between -1 and 1.
double noise(std::size_t i) { return std::sin(12.9898 * static_cast<double>(i + 1)); }

Numbers values(const Numbers& x, double noisy, const std::function<double(double)>& f) {
  Numbers y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(f(x[i]) * (1 + noisy * noise(i)));
  return y;
}

}  // namespace

TEST_CASE("A planted knee is found on linear and logarithmic axes, also under noise") {
  const double noisy = GENERATE(0.0, 0.003, 0.01);
  const Numbers linear = steps(12), logarithmic = powers_of_two(9);
  for (const double at : {350.0, 400.0, 600.0, 850.0, 1000.0}) {
    CAPTURE(at, noisy);
    const KneeSearch falls =
        find_knee(linear, values(linear, noisy, [&](double x) { return 10 + 0.05 * std::max(0.0, at - x); }));
    REQUIRE(falls.knee);
    CHECK(falls.knee->at == Approx(at).epsilon(0.08));
    CHECK(falls.knee->before == Approx(10 / (10 + 0.05 * (at - 100)) - 1).margin(0.05));
    CHECK(falls.knee->after == Approx(0).margin(0.03));
    const KneeSearch rises =
        find_knee(linear, values(linear, noisy, [&](double x) { return 10 + 0.05 * std::max(0.0, x - at); }));
    REQUIRE(rises.knee);
    CHECK(rises.knee->at == Approx(at).epsilon(0.08));
    CHECK(rises.knee->before == Approx(0).margin(0.03));
  }
  for (const double at : {8.0, 11.0, 16.0, 32.0, 50.0}) {
    CAPTURE(at, noisy);
    // Time on a link, until something else takes longer.
    const KneeSearch link = find_knee(
        logarithmic, values(logarithmic, noisy, [&](double x) { return 3 * std::max(1.0, at / x); }));
    REQUIRE(link.knee);
    CHECK(link.knee->at == Approx(at).epsilon(0.08));
    const KneeSearch steps_of_log = find_knee(logarithmic, values(logarithmic, noisy, [&](double x) {
                                                return 10 + std::max(0.0, std::log2(at / x));
                                              }));
    REQUIRE(steps_of_log.knee);
    CHECK(steps_of_log.knee->at == Approx(at).epsilon(0.15));
  }
}

TEST_CASE("A minimum is a knee") {
  const Numbers x = powers_of_two(7);
  const KneeSearch search =
      find_knee(x, values(x, 0, [](double v) { return 5 + std::abs(std::log2(v / 8)); }));
  REQUIRE(search.knee);
  CHECK(search.knee->at == Approx(8));
  CHECK(search.knee->before < 0);
  CHECK(search.knee->after > 0);
}

TEST_CASE("What is straight on any paper has no knee") {
  const std::function<double(double)> straight[] = {
      [](double x) { return 10 + 2 * x; },        [](double x) { return 5000 - 3 * x; },
      [](double x) { return 10 + std::log2(x); }, [](double x) { return 40 / x; },
      [](double x) { return 3 * std::sqrt(x); },  [](double x) { return std::exp(0.003 * x); }};
  const Numbers all_x[] = {powers_of_two(9), steps(10), powers_of_two(5), steps(5)};
  for (const auto& f : straight) {
    for (const Numbers& x : all_x) CHECK_FALSE(find_knee(x, values(x, 0.003, f)).knee);
  }
  // Of strong noise a few lines look broken.
  constexpr double kNoise = 0.02;
  constexpr int kDraws = 10;
  Rng random(1);
  int found = 0, tried = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    for (const auto& f : straight) {
      for (const Numbers& x : all_x) {
        Numbers y;
        for (const double v : x) y.push_back(f(v) * (1 + kNoise * (2 * random.uniform() - 1)));
        found += find_knee(x, y).knee ? 1 : 0;
        ++tried;
      }
    }
  }
  CHECK(found <= tried / 100);
}

TEST_CASE("What is flat, bent or scanty has no knee") {
  const double noisy = GENERATE(0.0, 0.003);
  const Numbers x = steps(10);
  CHECK_FALSE(find_knee(x, values(x, noisy, [](double) { return 7; })).knee);
  CHECK_FALSE(find_knee(x, values(x, 0, [](double) { return 0; })).knee);
  // Half the slope is no stop.
  const auto bent = [](double v) { return 900 - v / 4 + std::max(0.0, 500 - v) / 4; };
  CHECK_FALSE(find_knee(x, values(x, noisy, bent)).knee);
  for (const int few : {0, 1, 2, 4}) {
    const Numbers short_x = steps(few);
    CHECK_FALSE(find_knee(short_x, values(short_x, 0, [](double v) { return std::max(1.0, 250 - v); })).knee);
  }
}

TEST_CASE("Two lines that meet fit as well as the best of a fine search") {
  Rng random(7);
  for (int trial = 0; trial < 20; ++trial) {
    Numbers x, y;
    for (int i = 0; i < 7; ++i) {
      x.push_back(i + 0.8 * random.uniform());
      y.push_back(random.uniform());
    }
    const BrokenLine found = fit_two_lines(x, y);
    double least = std::numeric_limits<double>::infinity();
    for (double join = x[1]; join <= x[5]; join += 0.002) {
      // With the join given, the lines are a hat basis: values at both ends and the join. Coordinate descent.
      BrokenLine line{join, 0, 0, 0};
      for (int round = 0; round < 300; ++round) {
        double value = 0, left = 0, left_all = 0, right = 0, right_all = 0;
        for (std::size_t i = 0; i < x.size(); ++i) value += (y[i] - line(x[i]) + line.value) / 7;
        line.value = value;
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double d = x[i] - join;
          (d < 0 ? left : right) += d * (y[i] - value);
          (d < 0 ? left_all : right_all) += d * d;
        }
        line.left = left / left_all;
        line.right = right_all > 0 ? right / right_all : 0;
      }
      least = std::min(least, squared_error(line, x, y));
    }
    CHECK(squared_error(found, x, y) <= least * (1 + 1e-3));
    CHECK(squared_error(found, x, y) <= squared_error(fit_line(x, y), x, y) * (1 + 1e-12));
  }
}
