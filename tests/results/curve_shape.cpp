#include "sim/study/results/curve_shape.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "sim/core/rng.h"
#include "sim/study/results/least_squares.h"

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

double up(double x) { return 10 + 2 * x; }
double down(double x) { return 5000 - 3 * x; }
double logarithm(double x) { return 10 + std::log2(x); }
double inverse(double x) { return 40 / x; }
double root(double x) { return 3 * std::sqrt(x); }
double exponential(double x) { return std::exp(0.003 * x); }
double level(double /*x*/) { return 7; }
constexpr double (*kStraight[])(double) = {up, down, logarithm, inverse, root, exponential, level};

std::vector<Numbers> papers() { return {powers_of_two(9), steps(10), powers_of_two(5), steps(5)}; }

}  // namespace

TEST_CASE("A planted knee is found on linear and logarithmic axes, also under noise") {
  const double noisy = GENERATE(0.0, 0.003, 0.01);
  const Numbers linear = steps(12), logarithmic = powers_of_two(9);
  for (const double at : {350.0, 400.0, 600.0, 850.0, 1000.0}) {
    CAPTURE(at, noisy);
    const CurveShape falls =
        shape_of(linear, values(linear, noisy, [&](double x) { return 10 + 0.05 * std::max(0.0, at - x); }));
    REQUIRE(falls.shape == Shape::kKnee);
    CHECK(falls.from == Approx(at).epsilon(0.08));
    CHECK(falls.to == falls.from);
    CHECK(falls.before == Approx(10 / (10 + 0.05 * (at - 100)) - 1).margin(0.05));
    CHECK(falls.after == Approx(0).margin(0.03));
    const CurveShape rises =
        shape_of(linear, values(linear, noisy, [&](double x) { return 10 + 0.05 * std::max(0.0, x - at); }));
    REQUIRE(rises.shape == Shape::kKnee);
    CHECK(rises.from == Approx(at).epsilon(0.08));
    CHECK(rises.before == Approx(0).margin(0.03));
  }
  for (const double at : {8.0, 11.0, 16.0, 32.0, 50.0}) {
    CAPTURE(at, noisy);
    // Time on a link, until something else takes longer.
    const CurveShape link = shape_of(
        logarithmic, values(logarithmic, noisy, [&](double x) { return 3 * std::max(1.0, at / x); }));
    REQUIRE(link.shape == Shape::kKnee);
    CHECK(link.from == Approx(at).epsilon(0.08));
    const CurveShape steps_of_log =
        shape_of(logarithmic,
                 values(logarithmic, noisy, [&](double x) { return 10 + std::max(0.0, std::log2(at / x)); }));
    REQUIRE(steps_of_log.shape == Shape::kKnee);
    CHECK(steps_of_log.from == Approx(at).epsilon(0.15));
  }
}

TEST_CASE("A planted optimum is found at the value that is best, pointed or round, lowest or highest") {
  const double noisy = GENERATE(0.0, 0.003, 0.01);
  for (const double sign : {1.0, -1.0}) {
    for (const Numbers& x : {powers_of_two(7), powers_of_two(9), steps(9)}) {
      const double best = x[x.size() / 2];
      CAPTURE(noisy, sign, x.size(), best);
      const auto pointed = [&](double v) { return 20 + sign * 3 * std::abs(std::log2(v / best)); };
      const auto round = [&](double v) { return 20 + sign * 0.5 * std::pow(std::log2(v / best), 2); };
      const auto lost = [&](double v) { return 20 + sign * (v / best + best / v - 2) / 2; };
      const Numbers ys[] = {values(x, noisy, pointed), values(x, noisy, round), values(x, noisy, lost)};
      // At the end of a linear axis the round ones have hardly risen.
      for (std::size_t i = 0; i < (x[1] == 2 ? 3U : 1U); ++i) {
        CAPTURE(i);
        const CurveShape found = shape_of(x, ys[i]);
        REQUIRE(found.shape == Shape::kOptimum);
        const auto extreme = sign > 0 ? std::ranges::min_element(ys[i]) : std::ranges::max_element(ys[i]);
        CHECK(found.from == x[static_cast<std::size_t>(extreme - ys[i].begin())]);
        CHECK(found.to == found.from);
        CHECK(sign * found.before < 0);
        CHECK(sign * found.after > 0);
      }
    }
  }
}

TEST_CASE("A planted step is found between the values on either side of it, up or down") {
  const double noisy = GENERATE(0.0, 0.003, 0.01);
  for (const double other : {16.0, 25.0}) {
    for (const Numbers& x : {powers_of_two(7), powers_of_two(9), steps(8)}) {
      for (std::size_t last = 1; last + 3 <= x.size(); ++last) {
        CAPTURE(noisy, other, x.size(), last);
        const CurveShape found =
            shape_of(x, values(x, noisy, [&](double v) { return v <= x[last] ? 20 : other; }));
        REQUIRE(found.shape == Shape::kStep);
        CHECK(found.from == x[last]);
        CHECK(found.to == x[last + 1]);
        CHECK(found.before == Approx(other / 20 - 1).margin(0.02));
      }
    }
  }
}

TEST_CASE("What is straight on any paper, or level, has no shape") {
  for (const auto& f : kStraight) {
    for (const Numbers& x : papers()) CHECK(shape_of(x, values(x, 0.003, f)).shape == Shape::kNone);
  }
}

TEST_CASE("Of noise alone, at most one in a hundred has a shape", "[slow]") {
  constexpr int kDraws = 100;
  Rng random(1);
  for (const double noisy : {0.005, 0.02, 0.05}) {
    int found = 0, tried = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      for (const auto& f : kStraight) {
        for (const Numbers& x : papers()) {
          Numbers y;
          for (const double v : x) y.push_back(f(v) * (1 + noisy * (2 * random.uniform() - 1)));
          found += shape_of(x, y).shape == Shape::kNone ? 0 : 1;
          ++tried;
        }
      }
    }
    CAPTURE(noisy, found, tried);
    CHECK(found <= tried / 100);
  }
}

TEST_CASE("What is flat, bent or scanty has no shape") {
  const double noisy = GENERATE(0.0, 0.003);
  const Numbers x = steps(10);
  CHECK(shape_of(x, values(x, noisy, [](double) { return 7; })).shape == Shape::kNone);
  CHECK(shape_of(x, values(x, 0, [](double) { return 0; })).shape == Shape::kNone);
  // Half the slope is no stop.
  const auto bent = [](double v) { return 900 - v / 4 + std::max(0.0, 500 - v) / 4; };
  const CurveShape bends = shape_of(x, values(x, noisy, bent));
  CHECK(bends.shape == Shape::kNone);
  CHECK_THAT(bends.why, Catch::Contains("goes on changing"));
  for (const int few : {0, 1, 2, 4}) {
    const Numbers short_x = steps(few);
    CHECK(shape_of(short_x, values(short_x, 0, [](double v) { return std::max(1.0, 250 - v); })).shape ==
          Shape::kNone);
  }
}

TEST_CASE("A parabola is fitted as it is") {
  const Numbers x = steps(6);
  const Parabola fitted =
      fit_parabola(x, values(x, 0, [](double v) { return 3 + 2e-4 * (v - 250) * (v - 250); }));
  CHECK(fitted.top() == Approx(250));
  CHECK(fitted(400) == Approx(3 + 2e-4 * 150 * 150));
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
