#include "models/balance/expert_places.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/rng.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/streams/micro_batches.h"

using namespace a3sim;

namespace {

// The mean over micro-batches of the busiest rank's rows above the mean, as they are drawn.
double straggler(const std::vector<std::string>& set) {
  std::vector<std::string> overrides{"experiment.micro_batches=8", "parallel.ep=4"};
  overrides.insert(overrides.end(), set.begin(), set.end());
  const Experiment experiment = load_experiment(configs_folder() / "experiments" / "feplb.yaml", overrides);
  const Batches batches = draw_batches(experiment, 0);
  double sum = 0;
  for (const RoutingCounts& counts : batches.counts) {
    std::vector<double> load(counts.ranks(), 0);
    for (std::uint32_t src = 0; src < counts.ranks(); ++src)
      for (std::uint32_t e = 0; e < counts.experts(); ++e)
        load[e * counts.ranks() / counts.experts()] += counts.at(src, e);
    sum += above_mean(load);
  }
  return sum / static_cast<double>(batches.counts.size());
}

}  // namespace

TEST_CASE("places: the busiest expert first, to the least busy rank that has a place") {
  // 9 to rank 0, 7 to 1, 6 to 1's 7 or 0's 9: to 1 (7), then 13 against 9: 5 to 0, and the rest where places are.
  const std::vector<double> loads{9, 7, 6, 5, 1, 0};
  CHECK(lpt_places(loads, 3) == std::vector<std::uint32_t>{0, 3, 5, 1, 2, 4});
}

TEST_CASE(
    "places: each expert has one, each rank as many, and the busiest has at most half more than it must") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    const std::uint32_t each = 1 + rng.below(5), experts = 2 * each;
    std::vector<double> loads(experts);
    for (double& load : loads) load = rng.below(50);
    const double all = std::accumulate(loads.begin(), loads.end(), 0.0);
    std::vector<std::uint32_t> sorted = lpt_places(loads, each), numbers(experts);
    double first = 0, least = all;
    for (std::uint32_t p = 0; p < each; ++p) first += loads[sorted[p]];
    std::ranges::sort(sorted);
    std::iota(numbers.begin(), numbers.end(), 0U);
    // Every way to give half of the experts to the first of two ranks.
    for (std::uint32_t set = 0; set < 1U << experts; ++set) {
      if (static_cast<std::uint32_t>(std::popcount(set)) != each) continue;
      double here = 0;
      for (std::uint32_t e = 0; e < experts; ++e) here += set >> e & 1 ? loads[e] : 0;
      least = std::min(least, std::max(here, all - here));
    }
    INFO("seed " << seed);
    REQUIRE(sorted == numbers);
    REQUIRE(std::max(first, all - first) <= 1.5 * least);
  }
}

TEST_CASE("places: counts go with their experts") {
  RoutingCounts counts(2, 4);
  for (std::uint32_t src = 0; src < 2; ++src)
    for (std::uint32_t e = 0; e < 4; ++e) counts.at(src, e) = 10 * src + e;
  const RoutingCounts moved = placed(counts, std::vector<std::uint32_t>{2, 0, 3, 1});
  CHECK(std::vector(moved.source(1).begin(), moved.source(1).end()) ==
        std::vector<std::uint32_t>{12, 10, 13, 11});
}

TEST_CASE("places: what lasts is balanced at the checkpoint, what drifts is not") {
  const std::string lpt = "balance.place=lpt";
  CHECK(straggler({"routing.lasting=1", lpt}) < 0.1 * straggler({"routing.lasting=1"}));
  // Of one seed either placement may be the lucky one.
  double as_numbered = 0, placed_once = 0;
  for (const char* seed : {"1", "2", "3", "4", "5", "6"}) {
    const std::vector<std::string> drift{"routing.lasting=0", "routing.common=0",
                                         std::string("routing.seed=") + seed};
    as_numbered += straggler(drift);
    placed_once += straggler({drift[0], drift[1], drift[2], lpt});
  }
  CHECK(placed_once > 0.7 * as_numbered);
}

TEST_CASE(
    "places: what the experts of a rank have in common goes with them, and is spread, though it drifts") {
  const std::string lpt = "balance.place=lpt", moves = "routing.lasting=0", common = "routing.sigma=0";
  CHECK(straggler({moves, common, lpt}) < 0.5 * straggler({moves, common}));
}
