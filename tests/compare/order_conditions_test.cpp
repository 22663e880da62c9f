#include "sim/compare/orders/order_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/compare/orders/order_comparison.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/run/compiled.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

OrderSpec shipped(const std::string& name) {
  return read_order_file(configs_folder() / "orders" / (name + ".yaml"));
}

ConditionOutcome outcome(const std::string& routing, double low, double median, double high) {
  return {routing, aic_and_aiv(25, 50), {}, {}, {}, {median, low, high}};
}

std::uint64_t most_over_mean(const RoutingCounts& counts) {
  std::vector<std::uint64_t> rows(counts.experts(), 0);
  std::uint64_t all = 0;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e) {
      rows[e] += counts.at(src, e);
      all += counts.at(src, e);
    }
  }
  return 10 * std::ranges::max(rows) * counts.experts() / all;  // in tenths
}

}  // namespace

TEST_CASE("an order is tried balanced and under three skews, each on 25/50 and on 24/48") {
  const Experiment experiment = small();
  const std::vector<Condition> conditions = conditions_of(experiment);
  std::set<std::pair<std::string, std::uint32_t>> distinct;
  for (const Condition& condition : conditions) {
    const Experiment under = condition.variation.of(experiment);
    distinct.insert({condition.routing, condition.workers[0].count});
    CHECK(condition.workers[1].count == 2 * condition.workers[0].count);
    CHECK((condition.workers[0].count == 25 || condition.workers[0].count == 24));
    CHECK(under.workers[0].count == condition.workers[0].count);
    CHECK(2 * under.workers[1].count == condition.workers[1].count);  // every second one, as configured
    CHECK(under.cut.shares == condition.workers[0].count);
    CHECK(under.hardware.workers.count(CoreUnit::kMatrix) == condition.workers[0].count);
  }
  CHECK(conditions.size() == 4 * 2);
  CHECK(distinct.size() == 4 * 2);
  CHECK(conditions.front().routing == "balanced");
  CHECK(conditions.front().workers[0].count == experiment.hardware.workers.count(CoreUnit::kMatrix));
  CHECK(conditions_of(small({"routing.kind=sampled", "routing.skew=0.4"})).front().routing == "skew 0.4");
  CHECK(conditions_of(small({"routing.kind=sampled", "routing.skew=0.4"})).size() == 4 * 2);
  CHECK(conditions_of(small({"routing.kind=sampled", "routing.skew=1"})).size() == 5 * 2);
}

TEST_CASE("a die with other numbers of cores keeps them, and so does an experiment on a part of them") {
  for (const Condition& condition : conditions_of(small({"hardware.workers.cube.count=20"})))
    CHECK(condition.workers[0].count == 20);
  const Experiment part = small({"workers.aic=12", "cut.shares=7"});
  for (const Condition& condition : conditions_of(part)) {
    const Experiment under = condition.variation.of(part);
    CHECK(under.workers[0].count == (condition.workers[0].count + 1) / 2);  // 12 of 24, 12.5 of 25
    CHECK(under.cut.shares == 7);
  }
}

TEST_CASE("without rows to route only the numbers of cores change") {
  const Experiment product = load_experiment(configs_folder() / "experiments" / "gemm.yaml",
                                             std::vector<std::string>{"graph.sizes.m=512"});
  CHECK(conditions_of(product).size() == 2);
}

TEST_CASE("the hottest of 64 experts gets from about twice to about seven times the mean") {
  const Experiment experiment = load_experiment(configs_folder() / "experiments" / "ep8.yaml", {});
  REQUIRE(experiment.shape.experts() == 64);
  std::vector<std::uint64_t> tenths;
  for (const Condition& condition : conditions_of(experiment)) {
    if (condition.workers[0].count == 24)
      tenths.push_back(most_over_mean(routing_of(condition.variation.of(experiment))));
  }
  REQUIRE(tenths.size() == 4);
  CHECK(tenths[0] == 10);
  CHECK((tenths[1] >= 15 && tenths[1] <= 25));
  CHECK((tenths[3] >= 50 && tenths[3] <= 80));
  CHECK(std::ranges::is_sorted(tenths));
}

TEST_CASE("it is said where a gain holds, turns round, or is noise; a loss, too") {
  std::vector<ConditionOutcome> outcomes{
      outcome("balanced", -0.03, -0.02, -0.01), outcome("skew 0.2", -0.02, -0.01, -0.001),
      outcome("skew 0.4", 0.01, 0.012, 0.02), outcome("skew 0.8", -0.01, 0.001, 0.01)};
  outcomes.push_back({"narrow", aic_and_aiv(24, 48), "does not fit", {}, {}, {}});
  CHECK(where_it_turns("mine", "full", outcomes, 0) ==
        "That mine is faster than full holds under 1 of 3 other conditions; it turns round under skew 0.4 on "
        "25/50 (+1.20 %); it is noise under skew 0.8 on 25/50 (+0.10 %).\n");
  for (ConditionOutcome& outcome : outcomes)
    outcome.difference = {-outcome.difference.median, -outcome.difference.high, -outcome.difference.low};
  CHECK_THAT(
      where_it_turns("mine", "full", outcomes, 0),
      Contains("mine is slower than full holds under 1 of 3") && Contains("turns round under skew 0.4"));
  outcomes.front().difference = {0, -0.01, 0.01};
  CHECK_THAT(where_it_turns("mine", "full", outcomes, 0),
             Contains("do not differ by more than noise as configured; faster under skew 0.4") &&
                 Contains("slower under skew 0.2"));
  outcomes.front().difference = {0, 0, 0};  // one run of each, which knows no noise
  CHECK_THAT(where_it_turns("mine", "full", outcomes, 0),
             Contains("mine and full take the same time as configured"));
}

TEST_CASE("each condition's outcome is what an experiment with its values gives, under the same jitter") {
  const Experiment experiment = small();
  const TryOptions options{{6, 3, 0.05, 0.02}, true, 2};
  const OrderComparison comparison = try_order(experiment, shipped("naive"), options);
  REQUIRE(comparison.conditions.size() == 4 * 2);
  CHECK(comparison.conditions.front().tried == comparison.tried().total());
  CHECK(comparison.conditions.front().other == comparison.against()->total());
  const auto found = std::ranges::find_if(comparison.conditions, [](const ConditionOutcome& one) {
    return one.routing == "skew 0.4" && one.workers[0].count == 25;
  });
  REQUIRE(found != comparison.conditions.end());
  const Experiment stated = with_order(
      small({"routing.kind=sampled", "routing.skew=0.4", "routing.seed=1", "hardware.workers.cube.count=25",
             "hardware.workers.vector.count=50", "workers.aiv=25"}),
      shipped("naive"));
  const Variant variant{stated, stated.work->prepare(stated, 1)};
  CHECK(found->tried == median_of(evaluate({&variant, 1}, {.jitter = options.jitter}).front().totals()));
  const nlohmann::ordered_json json = order_report(experiment, comparison, options.jitter).json();
  CHECK(json["conditions"].size() == 4 * 2);
  CHECK(json["conditions"][0]["difference"] == comparison.conditions[0].difference.median);
  const TryOptions narrow{options.jitter, false, 2};
  CHECK(try_order(experiment, shipped("naive"), narrow).conditions.empty());
}

TEST_CASE(
    "a condition under which the difference is clear by far takes no more runs than an interval needs") {
  const Experiment experiment = small();
  const std::uint32_t asked = kFewestRuns + 2;
  const OrderSpec other = shipped("full");
  OrderSpec tried = other;
  tried.pools.push_back({"comm", {"Dispatch", "Dispatch_bwd"}, 1});
  const std::vector<Condition> conditions = conditions_of(experiment);
  const DifferenceOptions how{.jitter = {asked, 3, 0.05, 0.02}, .threads = 2};
  const std::vector<ConditionOutcome> outcomes =
      under_conditions(experiment, Latencies(asked, 2_us), Latencies(asked, 1_us), tried, other, how);
  REQUIRE(outcomes.size() == conditions.size());
  CHECK(outcomes.front().runs == asked);
  std::size_t shorter = 0;
  for (std::size_t c = 1; c < outcomes.size(); ++c) {
    const Experiment under = conditions[c].variation.of(experiment);
    Variant variants[]{{with_order(under, tried), nullptr}, {with_order(under, other), nullptr}};
    prepare(variants, 2);
    EvaluateOptions full{.jitter = how.jitter, .threads = 2}, part = full;
    part.runs = kFewestRuns;
    const std::vector<Evaluated> few = evaluate(variants, part), all = evaluate(variants, full);
    std::vector<double> differences;
    for (std::size_t run = 0; run < kFewestRuns; ++run)
      differences.push_back(static_cast<double>((few[0].totals()[run] - few[1].totals()[run]).count()));
    const auto [low, high] = std::ranges::minmax(differences);
    const bool clear = low > high - low || -high > high - low;
    CHECK(outcomes[c].runs == (clear ? kFewestRuns : asked));
    CHECK(outcomes[c].tried == median_of((clear ? few : all)[0].totals()));
    CHECK(outcomes[c].other == median_of((clear ? few : all)[1].totals()));
    shorter += clear ? 1 : 0;
  }
  CHECK(shorter > 0);
  CHECK_THAT(
      where_it_turns("narrow", "full", outcomes, asked),
      Contains(fmt::format("Under {} of these, {} of {} runs were enough", shorter, kFewestRuns, asked)));
}

TEST_CASE("an order that does not fit another number of cores is told, and the rest is run") {
  OrderSpec wide = shipped("full");
  wide.name = "wide";
  wide.pools.push_back({"comm", {"Dispatch", "Dispatch_bwd"}, 49});  // of 50 it leaves one, of 48 none
  const Experiment experiment =
      small({"hardware.workers.cube.count={value: 25, source: test, range: [24, 25]}",
             "hardware.workers.vector.count={value: 50, source: test, range: [48, 50]}", "workers.aiv=50"});
  const OrderComparison comparison = try_order(experiment, wide, {JitterOptions::none(), true, 2});
  std::size_t refused = 0;
  for (const ConditionOutcome& outcome : comparison.conditions) {
    CHECK(outcome.refused.empty() == (outcome.workers[1].count == 50));
    refused += outcome.refused.empty() ? 0 : 1;
  }
  CHECK(refused == 4);
  CHECK_THAT(order_report(experiment, comparison, JitterOptions::none()).text(),
             Contains("Does not fit skew 0.4 on 24/48"));
}
