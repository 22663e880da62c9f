#include "sim/experiment/run/evaluate.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/run/bounds.h"
#include "sim/experiment/run/evaluate_by_run.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;

namespace {

// Two orders that differ in the backward pass alone, and the first one again under another name.
std::vector<Variant> three_orders() {
  OrderSpec order = read_order_file(configs_folder() / "orders" / "full.yaml"), other = order, again = order;
  other.pools.push_back({"comm", {"Dispatch_bwd"}, 1});
  again.name = "again";
  std::vector<Variant> variants;
  for (const OrderSpec& spec : {order, other, again})
    variants.push_back({with_order(small(), spec), nullptr});
  prepare(variants, 2);
  return variants;
}

constexpr std::size_t kForward = 0, kBackward = 1;
const JitterOptions kJitter{3, 1, 0.05, 0.02};

}  // namespace

TEST_CASE("a pass that runs like an earlier variant's is not run, and the others are") {
  const std::vector<Variant> variants = three_orders();
  const EqualPasses equal(variants);
  CHECK(equal.first(1, kForward) == 0);
  CHECK(equal.first(1, kBackward) == 1);
  CHECK(equal.first(2, kForward) == 0);
  CHECK(equal.first(2, kBackward) == 0);
  CHECK_FALSE(equal.same_as(0));
  CHECK_FALSE(equal.same_as(1));
  CHECK(equal.same_as(2) == 0);
  std::vector<std::pair<std::size_t, std::size_t>> to_run;
  for (const auto& [variant, pass] : equal.to_run()) to_run.emplace_back(variant, pass);
  CHECK(to_run ==
        std::vector<std::pair<std::size_t, std::size_t>>{{0, kBackward}, {1, kBackward}, {0, kForward}});
}

TEST_CASE("what does not fit has no runs, and nothing stands for it") {
  std::vector<Variant> variants = three_orders();
  variants[0].work = nullptr;
  const EqualPasses equal(variants);
  CHECK_FALSE(equal.same_as(0));
  CHECK_FALSE(equal.same_as(2));
  CHECK(equal.first(2, kForward) == 1);
  CHECK(equal.first(2, kBackward) == 2);
  CHECK(equal.to_run().size() == 3);
  CHECK(evaluate(variants, {.jitter = kJitter, .one_machine = true})[0].passes.empty());
}

TEST_CASE("an evaluation is what each variant does on its own, pass by pass and run by run") {
  const std::vector<Variant> variants = three_orders();
  for (const bool one_machine : {false, true}) {
    const auto done = evaluate(variants, {.jitter = kJitter, .threads = 2, .one_machine = one_machine});
    for (std::size_t v = 0; v < variants.size(); ++v) {
      REQUIRE(done[v].totals().size() == kJitter.runs);
      for (std::uint32_t run = 0; run < kJitter.runs; ++run) {
        Duration makespan{}, apart{};
        const Compiled& compiled = *variants[v].work->schedules();
        for (std::size_t p = 0; p < compiled.passes.size(); ++p) {
          const RunResult result = run_drawn(variants[v].experiment, compiled, p, {kJitter, run}, false);
          const auto [first, last] = std::ranges::minmax(result.ranks, {}, &RankResult::end);
          makespan += result.makespan;
          apart += last.end - first.end;
        }
        CHECK(done[v].totals()[run] == makespan);
        CHECK(done[v].ends_apart()[run] == apart);
      }
    }
    CHECK(done[0].totals()[0] != done[1].totals()[0]);
  }
}

TEST_CASE("runs are the same whichever are asked for, and however many at a time") {
  const std::vector<Variant> variants = three_orders();
  const Latencies all = evaluate(variants, {.jitter = kJitter})[1].totals();
  const Latencies later = evaluate(variants, {.jitter = kJitter, .threads = 4, .first_run = 1})[1].totals();
  CHECK(later == Latencies(all.begin() + 1, all.end()));
  CHECK(evaluate(variants, {.jitter = kJitter, .runs = 1})[1].totals() == Latencies{all[0]});
  CHECK(evaluate(variants, {.jitter = kJitter, .first_run = 3})[1].totals().empty());
}

TEST_CASE("a run stops where it must exceed its limit, and one that does not is not changed") {
  const std::vector<Variant> variants = three_orders();
  const Latencies full = evaluate(variants, {.jitter = kJitter})[1].totals();
  EvaluateOptions options{.jitter = kJitter, .limits = full};
  const Evaluated just = evaluate(variants, options)[1];
  CHECK_FALSE(just.stopped());
  CHECK(just.totals() == full);
  for (Duration& limit : options.limits) limit /= 2;
  const Evaluated above = evaluate(variants, options)[1];
  CHECK(above.stopped());
  for (std::uint32_t run = 0; run < kJitter.runs; ++run) CHECK(above.totals()[run] < full[run]);
  // It stops behind the limit and not before it.
  const double fastest = (1 - kJitter.durations) / (1 + kJitter.rates);
  bool stopped = false;
  for (std::size_t p = 0; p < variants[1].passes(); ++p) {
    const Duration other = variants[1].work->bounds(variants[1].experiment, 1 - p).largest();
    const Duration least(static_cast<std::int64_t>(static_cast<double>(other.count()) * fastest));
    for (std::uint32_t run = 0; run < kJitter.runs; ++run) {
      if (!above.passes[p][run].stopped) continue;
      stopped = true;
      CHECK(above.passes[p][run].latency > options.limits[run] - least);
    }
  }
  CHECK(stopped);
}

TEST_CASE("a variant of an experiment is what its file says with these values, to the last default") {
  const std::vector<std::string> changes{"parallel.ep=2", "experiment.execution=kernel"};
  const Experiment changed = small().with(changes), stated = small(changes);
  CHECK(changed.resolved == stated.resolved);
  CHECK(changed.values == stated.values);
  CHECK(changed.cut.kernel);
  CHECK(changed.cut.task_rows == stated.cut.task_rows);
  // Again from there, and nothing is left of what was changed before.
  CHECK(changed.with(std::vector<std::string>{"parallel.ep=4", "experiment.execution=static"}).resolved ==
        small({"experiment.execution=static"}).resolved);
  CHECK_THROWS_WITH(small().with(std::vector<std::string>{"parallel.epp=2"}),
                    Catch::Matchers::Contains("--set:1:1: parallel.epp: unknown key; did you mean 'ep'?"));
}
