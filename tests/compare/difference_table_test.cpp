#include "sim/variation/difference_table.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

const JitterOptions kSevenRuns{7, 3, 0.05, 0.02};

OrderSpec order_named(const std::string& name) {
  return read_order_file(configs_folder() / "orders" / (name + ".yaml"));
}

std::vector<Variation> several_variations() {
  OrderSpec wide = order_named("ratr");
  wide.pools.push_back({"wide", {"Dispatch"}, 100});
  return {other_order(order_named("naive")),
          other_order(wide),
          {"slow clock", {"hardware.clock=1 GHz"}},
          other_machine("slow links", {"hardware.fabric.planes.hccs.egress=5 GB/s"}),
          {"the name alone", {"experiment.name=other"}}};
}

Latencies totals_alone(const Experiment& experiment) {
  Variant variant{experiment, nullptr};
  prepare({&variant, 1}, 1);
  return evaluate({&variant, 1}, {.jitter = kSevenRuns}).front().totals();
}

}  // namespace

TEST_CASE(
    "a variation comes to what its experiment does under the same draws, held or in turn, by any threads") {
  const Experiment experiment = small({"experiment.pass=forward"});
  const std::vector<Variation> variations = several_variations();
  for (const bool hold : {true, false}) {
    const DifferenceTable table = differences(
        {experiment, nullptr}, variations, {.jitter = kSevenRuns, .threads = hold ? 1U : 3U, .hold = hold});
    CHECK(table.base.totals == totals_alone(experiment));
    REQUIRE(table.rows.size() == variations.size());
    CHECK_THAT(table.rows[1].refused, Contains("100"));
    CHECK_FALSE(table.rows[1].ran());
    for (const std::size_t v : {0U, 2U, 3U, 4U}) {
      INFO(table.rows[v].name);
      CHECK(table.rows[v].refused.empty());
      CHECK(table.rows[v].outcome.totals == totals_alone(variations[v].of(experiment)));
    }
    CHECK(table.relative(table.rows[2]).low > 0.1);
    CHECK(table.apart(table.rows[4]).median == 0);
  }
}

TEST_CASE("what changes nothing in the first run is as the experiment is, and is not run again") {
  const Experiment experiment = small({"experiment.pass=forward"});
  // A variation that any further run would reveal: its second run is on another machine.
  std::size_t seen = 0;
  const std::vector<Variation> variations{{"the name alone", {"experiment.name=other"}}};
  DifferenceOptions how{.jitter = kSevenRuns};
  how.seen = [&](const DifferenceTable& so_far, std::uint32_t runs) {
    ++seen;
    CHECK(so_far.rows[0].outcome.totals == so_far.base.totals);
    CHECK(so_far.base.totals.size() == runs);
  };
  const DifferenceTable table = differences({experiment, nullptr}, variations, how);
  CHECK(table.rows[0].outcome.totals == table.base.totals);
  CHECK(table.base.totals.size() == kSevenRuns.runs);
  CHECK(seen == 1);  // nothing is left to vary
}

TEST_CASE("a list without an experiment to compare with comes to what its experiments come to") {
  const Experiment experiment = small({"experiment.pass=forward"});
  std::vector<Variation> variations = several_variations();
  std::ranges::rotate(variations, variations.begin() + 1);  // the first is refused
  variations.insert(variations.begin() + 1,
                    other_machine("slow links", {"hardware.fabric.put_startup=90 us"}));
  variations.insert(variations.begin() + 1, {"fewer tokens", {"model.tokens=32"}});
  for (const bool hold : {true, false}) {
    const DifferenceTable table = outcomes(experiment, variations, {.jitter = kSevenRuns, .hold = hold});
    REQUIRE(table.rows.size() == variations.size());
    CHECK_THAT(table.rows[0].refused, Contains("100"));
    for (std::size_t v = 1; v < variations.size(); ++v) {
      INFO(table.rows[v].name);
      CHECK(table.rows[v].name == variations[v].name);
      CHECK(table.rows[v].outcome.totals == totals_alone(variations[v].of(experiment)));
    }
  }
  const DifferenceTable none = outcomes(experiment, std::span(variations).first(1), {});
  CHECK_FALSE(none.rows.at(0).ran());
}

TEST_CASE("a difference that is clear by far needs no more than six runs, and no other ends early") {
  const Experiment experiment = small({"experiment.pass=forward"});
  const JitterOptions more{9, 3, 0.05, 0.02};
  const std::vector<Variation> far{{"slow clock", {"hardware.clock=300 MHz"}}};
  const std::vector<Variation> near{{"little faster clock", {"hardware.clock=1851 MHz"}}};
  const DifferenceOptions how{.jitter = more, .runs = RunsNeeded::kUntilClear, .runs_at_a_time = kFewestRuns};
  const DifferenceTable clear = differences({experiment, nullptr}, far, how);
  CHECK(clear.rows[0].outcome.totals.size() == kFewestRuns);
  CHECK(is_clear_by_far(clear.rows[0].outcome.totals, clear.base.totals));
  const DifferenceTable unclear = differences({experiment, nullptr}, near, how);
  const Latencies first(unclear.rows[0].outcome.totals.begin(),
                        unclear.rows[0].outcome.totals.begin() + kFewestRuns);
  CHECK((unclear.rows[0].outcome.totals.size() == 9) == !is_clear_by_far(first, unclear.base.totals));
  CHECK_FALSE(is_clear_by_far({2_us, 4_us}, {1_us, 1_us}));  // 1 is no more than the range, 2
  CHECK(is_clear_by_far({4_us, 5_us}, {1_us, 1_us}));
}

TEST_CASE("more workers keep the proportion that runs tasks, and shares that follow them") {
  const Experiment stated = small({"workers.aiv=24", "cut.shares=24"});
  const Experiment other = stated.with(changes_to_workers(stated, aic_and_aiv(25, 50)));
  CHECK(other.hardware.workers.count(CoreUnit::kMatrix) == 25);
  CHECK(other.workers.count(CoreUnit::kVector) == 25);  // every second one, as before
  CHECK(other.cut.shares == 25);
  const Experiment own = small({"cut.shares=7"});
  CHECK(own.with(changes_to_workers(own, aic_and_aiv(25, 50))).cut.shares == 7);
}
