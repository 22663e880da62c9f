#include "sim/study/explore/order_runs.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/experiment/order_file.h"
#include "sim/experiment/run_experiment.h"
#include "tests/study/small_experiment.h"

using namespace a3sim;

namespace {

// Two orders that differ in the backward pass alone, and the first one again under another name.
std::vector<UnderOrder> three_orders() {
  OrderSpec order = read_order_file(configs_folder() / "orders" / "full.yaml"), other = order, again = order;
  other.pools.push_back({"comm", {"Dispatch_bwd"}, 1});
  again.name = "again";
  std::vector<UnderOrder> under;
  for (const OrderSpec& spec : {order, other, again}) {
    under.push_back({with_order(small(), spec), {}});
    under.back().compiled = compile_all(under.back().experiment);
  }
  return under;
}

constexpr std::size_t kForward = 0, kBackward = 1;

}  // namespace

TEST_CASE("a pass with the schedules of an earlier order's is not run, and the others are") {
  const std::vector<UnderOrder> under = three_orders();
  const EqualSchedules equal(under);
  CHECK(equal.first(1, kForward) == 0);
  CHECK(equal.first(1, kBackward) == 1);
  CHECK(equal.first(2, kForward) == 0);
  CHECK(equal.first(2, kBackward) == 0);
  CHECK_FALSE(equal.same_as(0));
  CHECK_FALSE(equal.same_as(1));
  CHECK(equal.same_as(2) == 0);
  std::vector<std::pair<std::size_t, std::size_t>> to_run;
  for (const auto& [order, pass] : equal.to_run()) to_run.emplace_back(order, pass);
  CHECK(to_run ==
        std::vector<std::pair<std::size_t, std::size_t>>{{0, kBackward}, {1, kBackward}, {0, kForward}});
}

TEST_CASE("what does not fit has no runs, and nothing stands for it") {
  std::vector<UnderOrder> under = three_orders();
  under[0].compiled = {};
  const EqualSchedules equal(under);
  CHECK_FALSE(equal.same_as(0));
  CHECK_FALSE(equal.same_as(2));
  CHECK(equal.first(2, kForward) == 1);
  CHECK(equal.first(2, kBackward) == 2);
  CHECK(equal.to_run().size() == 3);
}

TEST_CASE("runs of orders are those of each order on its own, pass by pass") {
  const std::vector<UnderOrder> under = three_orders();
  const JitterOptions jitter{3, 1, 0.05, 0.02};
  const auto runs = run_orders(under, jitter, 2);
  for (std::size_t o = 0; o < under.size(); ++o) {
    REQUIRE(runs[o].size() == jitter.runs);
    for (std::uint32_t run = 0; run < jitter.runs; ++run) {
      Duration makespan{}, apart{};
      for (std::size_t p = 0; p < under[o].compiled.passes.size(); ++p) {
        const RunResult of = run_jittered(under[o].experiment, under[o].compiled, p, jitter, run, false);
        Duration first = Duration::max(), last{};
        for (const RankResult& rank : of.ranks) {
          first = std::min(first, rank.end);
          last = std::max(last, rank.end);
        }
        makespan += of.makespan;
        apart += last - first;
      }
      CHECK(runs[o][run].makespan == makespan);
      CHECK(runs[o][run].ends_apart == apart);
    }
  }
  CHECK(runs[0][0].makespan != runs[1][0].makespan);
}
