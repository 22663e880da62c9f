#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <optional>
#include <vector>

#include "models/balance/balancer.h"
#include "models/balance/dynamic_experts.h"
#include "sim/core/rng.h"

using namespace a3sim;

namespace {

using Moves = std::vector<ExpertMove>;

// The rule as it is published, from scratch at each step: where every expert is, summed anew.
Moves by_definition(const ExpertLoads& loads, const BalanceOptions& options) {
  std::vector<std::uint32_t> place(loads.rows.size());
  for (std::uint32_t e = 0; e < place.size(); ++e) place[e] = e / loads.experts_per_rank;
  Moves moves;
  while (true) {
    std::vector<std::int64_t> load(loads.ranks(), 0);
    std::vector<std::uint32_t> guests(loads.ranks(), 0);
    for (std::uint32_t e = 0; e < place.size(); ++e) {
      load[place[e]] += loads.rows[e];
      guests[place[e]] += place[e] != e / loads.experts_per_rank;
    }
    std::uint32_t hi = 0;
    std::optional<std::uint32_t> lo;
    for (std::uint32_t d = 0; d < load.size(); ++d) {
      if (load[d] > load[hi]) hi = d;
      if (guests[d] < options.max_num_dyn && (!lo || load[d] < load[*lo])) lo = d;
    }
    if (!lo || *lo == hi) return moves;
    std::optional<std::uint32_t> best;
    for (std::uint32_t e = 0; e < place.size(); ++e) {
      const bool may = loads.dynamic[e] && place[e] == hi && e / loads.experts_per_rank == hi;
      const bool helps = loads.rows[e] < load[hi] - load[*lo];
      if (may && (options.stop != StopRule::kNext || helps) && (!best || loads.rows[e] > loads.rows[*best]))
        best = e;
    }
    if (!best || loads.rows[*best] < options.tau) return moves;
    if (options.stop == StopRule::kBusiest && loads.rows[*best] >= load[hi] - load[*lo]) return moves;
    place[*best] = *lo;
    moves.push_back({*best, hi, *lo});
  }
}

struct Drawn {
  std::vector<std::uint32_t> rows;
  std::vector<bool> dynamic;
  std::uint32_t experts_per_rank;
  BalanceOptions options;
  ExpertLoads loads() const { return {rows, dynamic, experts_per_rank}; }
};

Drawn draw(std::uint64_t seed) {
  Rng rng(seed);
  const std::uint32_t ranks = 2 + rng.below(7), experts = 1 + rng.below(8), most = 1 + rng.below(2000);
  Drawn drawn{{}, {}, experts, {}};
  for (std::uint32_t e = 0; e < ranks * experts; ++e) {
    drawn.rows.push_back(rng.below(most));
    drawn.dynamic.push_back(rng.below(3) > 0);
  }
  drawn.options.tau = rng.below(600);
  drawn.options.max_num_dyn = rng.below(4);
  drawn.options.stop = static_cast<StopRule>(rng.below(3));
  return drawn;
}

std::vector<std::int64_t> after(const ExpertLoads& loads, const Moves& moves) {
  std::vector<std::int64_t> load = loads.by_rank();
  for (const ExpertMove& move : moves) {
    load[move.from] -= loads.rows[move.expert];
    load[move.to] += loads.rows[move.expert];
  }
  return load;
}

constexpr std::uint64_t kDraws = 2000;

}  // namespace

TEST_CASE("experts move as the rule of FEPLB says") {
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const Drawn drawn = draw(seed);
    INFO("seed " << seed);
    REQUIRE(balancing_moves(drawn.loads(), drawn.options) == by_definition(drawn.loads(), drawn.options));
  }
}

TEST_CASE("moves do not make the busiest rank busier, fill a rank with guests, or move a static expert") {
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    Drawn drawn = draw(seed);
    if (drawn.options.stop == StopRule::kNever) drawn.options.stop = StopRule::kNext;
    const ExpertLoads loads = drawn.loads();
    const Moves moves = balancing_moves(loads, drawn.options);
    INFO("seed " << seed);
    const auto before = loads.by_rank(), then = after(loads, moves);
    REQUIRE(*std::ranges::max_element(then) <= *std::ranges::max_element(before));
    std::vector<std::uint32_t> guests(loads.ranks(), 0), times(drawn.rows.size(), 0);
    for (const ExpertMove& move : moves) {
      REQUIRE(drawn.dynamic[move.expert]);
      REQUIRE(move.from == move.expert / drawn.experts_per_rank);
      REQUIRE(drawn.rows[move.expert] >= drawn.options.tau);
      REQUIRE(++times[move.expert] == 1);
      REQUIRE(++guests[move.to] <= drawn.options.max_num_dyn);
    }
  }
}

TEST_CASE("Equal loads move nothing") {
  const std::vector<std::uint32_t> rows(16, 1000);
  const std::vector<bool> dynamic(16, true);
  CHECK(balancing_moves({rows, dynamic, 4}, {}).empty());
}

TEST_CASE("The busiest experts of each rank are the dynamic ones, by what is looked at") {
  const std::vector<std::uint32_t> before{10, 20, 30, 40, 5, 5, 7, 5}, now{40, 30, 20, 10, 1, 2, 3, 4};
  LoadHistory history(8);
  history.add(before);
  const auto by = [&](ChooseBy what) { return dynamic_experts(what, history, now, 4, 2); };
  CHECK(by(ChooseBy::kLast) == std::vector<bool>{false, false, true, true, true, false, true, false});
  CHECK(by(ChooseBy::kHistory) == by(ChooseBy::kLast));
  CHECK(by(ChooseBy::kOracle) == std::vector<bool>{true, true, false, false, false, false, true, true});
  CHECK(by(ChooseBy::kFixed) == std::vector<bool>{true, true, false, false, true, true, false, false});
  CHECK(dynamic_experts(ChooseBy::kLast, history, now, 4, 0) == std::vector<bool>(8, false));
}

TEST_CASE("The running mean takes a tenth of each new micro-batch") {
  LoadHistory history(1);
  history.add(std::vector<std::uint32_t>{100});
  history.add(std::vector<std::uint32_t>{200});
  CHECK(history.mean().front() == Approx(0.9 * 100 + 0.1 * 200));
}

TEST_CASE("Experts are shadowed as long as the busiest rank gains more than their weights take") {
  // One expert a rank. Shadowing the first saves 100 - 60 rows, the second 60 - 50, the third 50 - 0.
  const std::vector<double> rows{100, 60, 50, 0};
  const auto chosen = [&](double weights) {
    return shadows(rows, 1, {.product = 1, .row = 0.25, .weights = weights});
  };
  constexpr double kARow = 3 * 1 + 4 * 0.25;
  CHECK(chosen(41 * kARow).empty());
  CHECK(chosen(39 * kARow) == std::vector<std::uint32_t>{0});
  CHECK(chosen(9 * kARow) == std::vector<std::uint32_t>{0, 1, 2});
  // Four experts per rank: the hottest is not on the busiest rank, and gains nothing alone. With three others 20 rows are left
  // of 130.
  const std::vector<double> unlike{90, 0, 0, 0, 40, 40, 30, 20};
  const auto several = [&](double weights) {
    return shadows(unlike, 4, {.product = 1, .row = 0.25, .weights = weights * kARow});
  };
  CHECK(several(20) == std::vector<std::uint32_t>{0, 4, 5, 6});
  CHECK(several(30).empty());
}
