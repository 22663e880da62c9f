#include "models/balance/replicas.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "models/balance/expert_places.h"
#include "sim/core/rng.h"

using namespace a3sim;

TEST_CASE("Copies are placed as in the example of EPLB's README") {
  // github.com/deepseek-ai/EPLB: two layers of 12 experts in 4 groups, 16 slots, 2 nodes, 8 GPUs.
  const std::vector<double> first{90, 132, 40, 61, 104, 165, 39, 4, 73, 56, 183, 86},
      second{20, 107, 104, 64, 19, 197, 187, 157, 172, 86, 16, 27};
  const ReplicaSlots slots{8, 16, 4, 2};
  CHECK(eplb_slots(first, slots) ==
        std::vector<std::uint32_t>{5, 6, 5, 7, 8, 4, 3, 4, 10, 9, 10, 2, 0, 1, 11, 1});
  CHECK(eplb_slots(second, slots) ==
        std::vector<std::uint32_t>{7, 10, 6, 8, 6, 11, 8, 9, 2, 4, 5, 1, 5, 0, 3, 1});
}

TEST_CASE("Without copies, placement by EPLB is that of LPT with equal counts") {
  Rng rng(3);
  for (int i = 0; i < 50; ++i) {
    std::vector<double> loads;
    for (int e = 0; e < 24; ++e) loads.push_back(rng.below(1000));
    std::vector<std::uint32_t> slots = eplb_slots(loads, {4, 24});
    for (int r = 0; r < 4; ++r) std::sort(slots.begin() + 6 * r, slots.begin() + 6 * r + 6);
    CHECK(slots == lpt_places(loads, 6));
  }
}

TEST_CASE(
    "Each expert has a slot, the busiest per copy never exceeds the mean of the others' by an expert, and no "
    "row is lost") {
  Rng rng(4);
  for (int i = 0; i < 50; ++i) {
    const std::uint32_t ranks = 1 + rng.below(8), experts = ranks * (1 + rng.below(6)),
                        slots = experts + ranks * rng.below(4);
    std::vector<double> loads;
    for (std::uint32_t e = 0; e < experts; ++e) loads.push_back(rng.below(1000));
    const std::vector<std::uint32_t> at = eplb_slots(loads, {ranks, slots});
    REQUIRE(at.size() == slots);
    std::vector<double> copies(experts, 0);
    for (const std::uint32_t e : at) ++copies[e];
    double busiest = 0;
    for (std::uint32_t e = 0; e < experts; ++e) {
      CHECK(copies[e] >= 1);
      busiest = std::max(busiest, loads[e] / copies[e]);
      // Greedy: what has a copy too many would have had at least as much before it as the busiest has now.
      if (copies[e] > 1) CHECK(loads[e] / (copies[e] - 1) >= busiest * (1 - 1e-12));
    }
    for (std::uint32_t e = 0; e < experts; ++e)
      if (copies[e] > 1) CHECK(loads[e] / (copies[e] - 1) >= busiest * (1 - 1e-12));
    RoutingCounts counts(ranks, experts);
    for (std::uint32_t r = 0; r < ranks; ++r)
      for (std::uint32_t e = 0; e < experts; ++e) counts.at(r, e) = rng.below(50);
    const RoutingCounts split = by_slot(counts, at);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      std::vector<std::uint32_t> rows(experts, 0), least(experts, 1000), most(experts, 0);
      for (std::uint32_t s = 0; s < slots; ++s) {
        rows[at[s]] += split.at(r, s);
        least[at[s]] = std::min(least[at[s]], split.at(r, s));
        most[at[s]] = std::max(most[at[s]], split.at(r, s));
      }
      for (std::uint32_t e = 0; e < experts; ++e) {
        CHECK(rows[e] == counts.at(r, e));
        CHECK(most[e] - least[e] <= 1);
      }
    }
  }
}

TEST_CASE("What is copied is what a rank has not had, once, from a rank that has it") {
  const std::vector<std::uint32_t> before{0, 1, 2, 3, 4, 5}, after{0, 5, 0, 3, 2, 2, 4, 1, 5};
  // Ranks 0, 1, 2 had {0 1}, {2 3}, {4 5}, and have {0 5 0}, {3 2 2}, {4 1 5}.
  const std::vector<ExpertCopy> expected{{5, 2, 0}, {1, 0, 2}};
  CHECK(copies_between(before, after, 3) == expected);
  CHECK(copies_between(before, before, 3).empty());
}
