#include "sim/sweep/results/effects.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/results/made_database.h"

using namespace a3sim;

namespace {

const ResultAxis kEffectEp{"ep", {"4", "8", "16", "32"}};
const ResultAxis kEffectOrder{"order", {"naive", "full", "ratr"}};
const ResultAxis kSkew{"skew", {"0", "1"}};

constexpr double kEpFactor[] = {1, 2, 3, 5}, kOrderFactor[] = {1.5, 1.2, 1}, kSkewFactor[] = {1, 1.05};

double planted(const std::vector<std::size_t>& at) {
  return 20 * kEpFactor[at[0]] * kOrderFactor[at[1]] * kSkewFactor[at[2]];
}

SweepResults planted_grid() { return full_grid({kEffectEp, kEffectOrder, kSkew}, planted); }

// Keeps the points for which `keep` holds of the levels.
SweepResults only(const SweepResults& sweep,
                  const std::function<bool(const std::vector<std::size_t>&)>& keep) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < sweep.points.size(); ++i)
    if (keep(sweep.points[i].levels)) points.push_back(i);
  return select(sweep, points);
}

}  // namespace

TEST_CASE("Planted factors are recovered, and the axis with the largest is first") {
  const SweepResults sweep = planted_grid();
  const Effects effects = effects_of(sweep, sweep.metrics[0]);
  REQUIRE(effects.axes.size() == 3);
  CHECK(effects.points == 24);
  const double expected[] = {kEpFactor[3] - 1, kOrderFactor[0] - 1, kSkewFactor[1] - 1};
  const std::size_t comparisons[] = {3 * 2, 4 * 2, 4 * 3};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const AxisEffect& effect = effects.axes[axis];
    CHECK(effect.axis == axis);
    CHECK(effect.change == Approx(expected[axis]));
    CHECK(effect.least == Approx(expected[axis]));
    CHECK(effect.most == Approx(expected[axis]));
    CHECK(effect.comparisons == comparisons[axis]);
    CHECK(effect.complete);
    CHECK(effects.matters(effect));
  }
  CHECK(effects.axes[0].smallest_at == "4");
  CHECK(effects.axes[0].largest_at == "32");
  CHECK(effects.axes[1].smallest_at == "ratr");
}

TEST_CASE("Where axes interact, the mean of factors is geometric, and no value is always the best") {
  // Along the order: from 1 to 2 where ep is 4, from 8 to 1 elsewhere.
  const SweepResults sweep = full_grid({{"ep", {"4", "8"}}, {"order", {"full", "ratr"}}}, [](const auto& at) {
    return at[0] == 0 ? 1.0 + double(at[1]) : at[1] == 0 ? 8.0 : 1.0;
  });
  const Effects effects = effects_of(sweep, sweep.metrics[0]);
  // Along ep: from 1 to 8, and from 2 to 1: the mean is 4 too, so that the first axis stays first.
  CHECK(effects.axes[1].axis == 1);
  CHECK(effects.axes[1].change == Approx(std::sqrt(2.0 * 8.0) - 1));
  CHECK(effects.axes[1].least == Approx(2 - 1));
  CHECK(effects.axes[1].most == Approx(8 - 1));
  CHECK(effects.axes[1].smallest_at.empty());
}

TEST_CASE("Values that are not all positive are compared by their differences") {
  const SweepResults sweep = full_grid(
      {kEffectEp, kSkew}, [](const auto& at) { return 4.0 * double(at[0]) - 0.01 * double(at[1]); });
  const Effects effects = effects_of(sweep, sweep.metrics[0]);
  CHECK_FALSE(effects.ratios);
  CHECK(effects.axes[0].change == Approx(4.0 * 3));
  CHECK(effects.axes[1].change == Approx(0.01));
  CHECK(effects.matters(effects.axes[0]));
  CHECK_FALSE(effects.matters(effects.axes[1]));  // a hundredth of the largest value is 0.12
}

TEST_CASE("Points that miss leave the comparisons that have all values of their axis") {
  SweepResults sweep = planted_grid();
  sweep.metrics[0].values[0] = NAN;  // ep=4, order=naive, skew=0
  const Effects effects = effects_of(sweep, sweep.metrics[0]);
  CHECK(effects.points == 23);
  CHECK(effects.of == 24);
  CHECK(effects.axes[0].comparisons == 3 * 2 - 1);
  CHECK(effects.axes[0].change == Approx(kEpFactor[3] - 1));
}

TEST_CASE("Comparisons without all values count only where there are no others, and say so") {
  const SweepResults sweep =
      only(planted_grid(), [](const auto& at) { return at[0] != (at[1] == 0 ? 0U : 3U); });
  const Effects effects = effects_of(sweep, sweep.metrics[0]);
  const auto ep = std::ranges::find(effects.axes, 0U, &AxisEffect::axis);
  CHECK_FALSE(ep->complete);
  CHECK(ep->comparisons == 3 * 2);
  CHECK(ep->least == Approx(kEpFactor[3] / kEpFactor[1] - 1));
  CHECK(ep->most == Approx(kEpFactor[2] / kEpFactor[0] - 1));
}

TEST_CASE("Axes that change together value for value are compared as one") {
  const SweepResults zipped = only(full_grid({kEffectOrder, kEffectEp, kSkew},
                                             [](const auto& at) { return planted({at[1], at[0], at[2]}); }),
                                   [](const auto& at) { return at[0] == at[1]; });
  const Effects effects = effects_of(zipped, zipped.metrics[0]);
  REQUIRE(effects.axes.size() == 2);
  CHECK(effects.axes[0].axis == 0);
  CHECK(effects.axes[0].twins == std::vector<std::size_t>{1});
  CHECK(effects.axes[0].change ==
        Approx(kEpFactor[2] * kOrderFactor[2] / (kEpFactor[0] * kOrderFactor[0]) - 1));
}

TEST_CASE("An axis along which no two points differ alone is not compared, and comes last") {
  const SweepResults nested = only(planted_grid(), [](const auto& at) { return at[0] / 2 == at[1]; });
  const Effects effects = effects_of(nested, nested.metrics[0]);
  REQUIRE(effects.axes.size() == 3);
  CHECK(effects.axes.back().axis == 1);
  CHECK(effects.axes.back().comparisons == 0);
  CHECK_FALSE(effects.matters(effects.axes.back()));
}

TEST_CASE("What changes no more than another seed does not matter") {
  const SweepResults sweep = full_grid({kEffectEp, kSkew, {"seed", {"1", "2"}}}, [](const auto& at) {
    return 10.0 * kEpFactor[at[0]] * kSkewFactor[at[1]] * (at[2] == 1 ? 1.06 : 1.0);
  });
  const Effects effects = effects_of(sweep, sweep.metrics[0]);
  CHECK(effects.noise == Approx(0.06));
  CHECK(effects.matters(effects.axes[0]));
  CHECK(effects.axes[2].axis == 1);  // skew: 5 %
  CHECK_FALSE(effects.matters(effects.axes[1]));
  CHECK_FALSE(effects.matters(effects.axes[2]));
}
