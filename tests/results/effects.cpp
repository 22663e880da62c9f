#include "sim/sweep/results/effects.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "tests/results/made_database.h"

using namespace a3sim;

namespace {

const ResultAxis kEffectEp{"ep", {"4", "8", "16", "32"}};
const ResultAxis kEffectOrder{"order", {"naive", "full", "ratr"}};
const ResultAxis kSkew{"skew", {"0", "1"}};

constexpr double kMean = 20;
constexpr double kEpEffect[] = {-6, -1, 2, 5}, kOrderEffect[] = {1.5, 0, -1.5}, kSkewEffect[] = {-0.5, 0.5};
// Sums to zero along both axes.
constexpr double kInteraction[4][3] = {{1, -1, 0}, {-1, 1, 0}, {0, 0, 0}, {0, 0, 0}};

double planted(const std::vector<std::size_t>& at, double interaction) {
  return kMean + kEpEffect[at[0]] + kOrderEffect[at[1]] + kSkewEffect[at[2]] +
         interaction * kInteraction[at[0]][at[1]];
}

template <std::size_t N>
double sum_of_squares(const double (&effects)[N], double points_per_level) {
  return points_per_level * std::inner_product(effects, effects + N, effects, 0.0);
}

const double kEpSquares = sum_of_squares(kEpEffect, 3 * 2),
             kOrderSquares = sum_of_squares(kOrderEffect, 4 * 2),
             kSkewSquares = sum_of_squares(kSkewEffect, 4 * 3), kInteractionSquares = 4 * 2;

const FactorEffect& factor(const Effects& effects, std::size_t axis) {
  for (const FactorEffect& f : effects.factors)
    if (f.axis == axis) return f;
  throw std::out_of_range("no such factor");
}

}  // namespace

TEST_CASE("Planted main effects are recovered, with their shares of the variance") {
  const double interaction = GENERATE(0.0, 1.0, 3.0);
  const SweepResults sweep =
      full_grid({kEffectEp, kEffectOrder, kSkew}, [&](const auto& at) { return planted(at, interaction); });
  const Effects effects = effects_of(sweep, sweep.metrics[0]);
  const double squares =
      kEpSquares + kOrderSquares + kSkewSquares + interaction * interaction * kInteractionSquares;
  REQUIRE(effects.factors.size() == 3);
  CHECK(effects.factors[0].axis == 0);
  CHECK(effects.factors[1].axis == 1);
  CHECK(effects.mean == Approx(kMean));
  for (std::size_t i = 0; i < 4; ++i) CHECK(factor(effects, 0).levels[i] == Approx(kEpEffect[i]));
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(factor(effects, 1).levels[i] == Approx(kOrderEffect[i]).margin(1e-12));
  CHECK(factor(effects, 0).share == Approx(kEpSquares / squares));
  CHECK(factor(effects, 1).share == Approx(kOrderSquares / squares));
  CHECK(factor(effects, 2).share == Approx(kSkewSquares / squares));
  CHECK(effects.rest == Approx(interaction * interaction * kInteractionSquares / squares).margin(1e-12));
  REQUIRE(effects.pair);
  CHECK(effects.pair->share == Approx(effects.rest).margin(1e-12));
  if (interaction > 0) {
    CHECK(effects.pair->first == 0);
    CHECK(effects.pair->second == 1);
  }
}

TEST_CASE("Additive effects are recovered from any points that connect them") {
  SweepResults sweep =
      full_grid({kEffectEp, kEffectOrder, kSkew}, [](const auto& at) { return planted(at, 0); });
  for (const std::size_t missing : {0u, 1u, 5u, 7u, 12u, 13u, 20u}) sweep.metrics[0].values[missing] = NAN;
  const Effects effects = effects_of(sweep, sweep.metrics[0]);
  CHECK(effects.mean == Approx(kMean));
  for (std::size_t i = 0; i < 4; ++i) CHECK(factor(effects, 0).levels[i] == Approx(kEpEffect[i]));
  for (std::size_t i = 0; i < 2; ++i) CHECK(factor(effects, 2).levels[i] == Approx(kSkewEffect[i]));
  CHECK(effects.rest == Approx(0).margin(1e-12));
}

TEST_CASE("Axes that change together value for value are one factor") {
  SweepResults sweep = full_grid({kEffectOrder, kEffectEp, kSkew},
                                 [](const auto& at) { return planted({at[1], at[0], at[2]}, 0); });
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (sweep.points[i].levels[0] == sweep.points[i].levels[1]) points.push_back(i);
  }
  const SweepResults zipped = select(sweep, points);
  const Effects effects = effects_of(zipped, zipped.metrics[0]);
  REQUIRE(effects.factors.size() == 2);
  CHECK(factor(effects, 0).twins == std::vector<std::size_t>{1});
  CHECK(factor(effects, 0).separable);
  CHECK(factor(effects, 2).levels[1] == Approx(kSkewEffect[1]));
}

TEST_CASE("Axes that partly change together cannot be told apart") {
  SweepResults sweep =
      full_grid({kEffectEp, kEffectOrder, kSkew}, [](const auto& at) { return planted(at, 0); });
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (sweep.points[i].levels[0] / 2 == sweep.points[i].levels[1]) points.push_back(i);
  }
  const SweepResults nested = select(sweep, points);
  const Effects effects = effects_of(nested, nested.metrics[0]);
  CHECK_FALSE(factor(effects, 1).separable);
  CHECK(factor(effects, 2).separable);
  CHECK(factor(effects, 2).levels[1] == Approx(kSkewEffect[1]));
}

TEST_CASE("A value of which every point failed is no level") {
  SweepResults sweep =
      full_grid({kEffectEp, kEffectOrder, kSkew}, [](const auto& at) { return planted(at, 0); });
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (sweep.points[i].levels[1] == 1) sweep.metrics[0].values[i] = NAN;
  }
  const Effects effects = effects_of(sweep, sweep.metrics[0]);
  CHECK(effects.sweep.axes[1].values == std::vector<std::string>{"naive", "ratr"});
  CHECK(factor(effects, 1).levels[0] == Approx(kOrderEffect[0]));
}
