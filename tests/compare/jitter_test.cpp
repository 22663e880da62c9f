#include "sim/compare/orders/jitter.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>

#include "sim/compare/orders/order_comparison.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;

namespace {

constexpr double kSpread = 0.3;

OrderSpec shipped_order(const std::string& name) {
  return read_order_file(configs_folder() / "orders" / (name + ".yaml"));
}

std::vector<OrderSpec> two_orders() { return {shipped_order("full"), shipped_order("naive")}; }

std::vector<JitteredOrder> jitter(const Experiment& experiment, std::span<const OrderSpec> orders,
                                  const JitterOptions& options, unsigned threads) {
  std::vector<Variant> variants;
  for (const OrderSpec& order : orders) variants.push_back({with_order(experiment, order), nullptr});
  prepare(variants, threads);
  const auto runs = evaluate(variants, {.jitter = options, .threads = threads, .one_machine = true});
  return spread_of(variants, runs, options, threads);
}

std::string text_of_spread(std::span<const JitteredOrder> orders) {
  Report report;
  add_spread(report, orders);
  return report.text();
}

Compiled under(const std::string& order) {
  Experiment experiment = small();
  const std::vector<std::string> elsewhere = experiment.order.elsewhere;
  experiment.order = shipped_order(order);
  experiment.order.elsewhere = elsewhere;
  return compile_all(experiment);
}

// Every task's factor in a pass, by what the task is.
using Factors = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, double>;
Factors factors_of(const CompiledPass& compiled, const JitterOptions& options, std::uint32_t run,
                   std::uint32_t pass) {
  const Schedule& schedule = compiled.schedule;
  TaskJitter jitter(schedule, options, run, pass);
  Factors factors;
  for (const Ssc& ssc : schedule) {
    for (std::uint32_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskDescriptor& td = ssc.tasks()[t];
      factors[{index(ssc.rank()), td.op, td.task_index}] = jitter.slowness(ssc.rank(), t);
    }
  }
  return factors;
}

}  // namespace

TEST_CASE("without spread every run is the modelled one, whatever the seed") {
  for (const std::uint64_t seed : {1, 2}) {
    for (const JitteredOrder& order : jitter(small(), two_orders(), {3, seed, 0, 0}, 2)) {
      for (const Duration total : order.totals) CHECK(total == order.modelled);
      CHECK(order.modelled == total_of(std::vector<Duration>{order.totals.front()}));
    }
  }
  Duration total{};
  for (const PassResult& pass : run_experiment(small(), false)) total += pass.run.makespan;
  CHECK(jitter(small(), std::vector{small().order}, {1, 1, 0, 0}, 1).front().totals.front() == total);
}

TEST_CASE("two orders see the same perturbation of the same task") {
  const Compiled full = under("full"), naive = under("naive");
  const JitterOptions options{.seed = 7, .durations = kSpread};
  bool moved = false;
  for (std::uint32_t pass = 0; pass < 2; ++pass) {
    CHECK(factors_of(full.passes[pass], options, 3, pass) ==
          factors_of(naive.passes[pass], options, 3, pass));
    moved |= !std::ranges::equal(full.passes[pass].schedule[1].queue(kAivQueue),
                                 naive.passes[pass].schedule[1].queue(kAivQueue));
  }
  CHECK(moved);  // though they do not stand at the same places
}

TEST_CASE("a task's factor lies within the spread, evenly, and depends on the task, run, pass, and seed") {
  const Compiled full = under("full");
  const JitterOptions options{.seed = 7, .durations = kSpread};
  const Factors factors = factors_of(full.passes[0], options, 0, 0);
  double sum = 0, least = 2, most = 0;
  std::set<double> distinct;
  for (const auto& [task, factor] : factors) {
    sum += factor;
    least = std::min(least, factor);
    most = std::max(most, factor);
    distinct.insert(factor);
  }
  const auto n = static_cast<double>(factors.size());
  constexpr double kDeviations = 4, kVarianceOfUniform = 1.0 / 3;
  CHECK(std::abs(sum / n - 1) < kDeviations * kSpread * std::sqrt(kVarianceOfUniform / n));
  CHECK((least >= 1 - kSpread && least < 1 - 0.9 * kSpread));
  CHECK((most <= 1 + kSpread && most > 1 + 0.9 * kSpread));
  CHECK(distinct.size() == factors.size());
  const JitterOptions other{.seed = 8, .durations = kSpread};
  for (const Factors& different :
       {factors_of(full.passes[0], options, 1, 0), factors_of(full.passes[0], options, 0, 1),
        factors_of(full.passes[0], other, 0, 0)}) {
    for (const auto& [task, factor] : factors) CHECK(factor != different.at(task));
  }
}

TEST_CASE("a run's machine differs in its rates alone, each within the spread") {
  const Experiment experiment = small();
  const Hardware& hardware = experiment.hardware;
  std::set<std::int64_t> drawn;
  for (std::uint32_t run = 0; run < 50; ++run) {
    const Experiment drawn_one = with_jitter(experiment, {.seed = 3, .rates = kSpread}, run);
    const Hardware& changed = drawn_one.hardware;
    const auto factor = [](auto now, auto before) {
      return static_cast<double>(now.count) / static_cast<double>(before.count);
    };
    for (const double f : {factor(changed.memory.hbm_read, hardware.memory.hbm_read),
                           factor(changed.memory.l2_read, hardware.memory.l2_read),
                           factor(changed.memory.l2_write, hardware.memory.l2_write),
                           factor(changed.fabric.planes[1].egress, hardware.fabric.planes[1].egress),
                           factor(changed.fabric.put_per_worker, hardware.fabric.put_per_worker)}) {
      CHECK((f >= 1 - kSpread && f <= 1 + kSpread));
    }
    CHECK(changed.clock == hardware.clock);
    CHECK(changed.memory.l2_size == hardware.memory.l2_size);
    CHECK(drawn_one.program.tasks.static_task == experiment.program.tasks.static_task);
    drawn.insert(changed.memory.hbm_read.count);
  }
  CHECK(drawn.size() == 50);
}

TEST_CASE("no run beats the lower bounds times the smallest factor") {
  const Experiment experiment = small();
  std::array<Duration, kBounds> bounds{};
  for (const PassResult& pass : run_experiment(experiment, false)) {
    for (std::uint32_t b = 0; b < kBounds; ++b) bounds[b] += pass.bounds.time[b];
  }
  constexpr double kSmallest =
      (1 - kSpread) / (1 + kSpread);  // of a put, whose worker and whose link are both fast
  for (const JitteredOrder& order : jitter(experiment, two_orders(), {25, 1, kSpread, kSpread}, 2)) {
    for (const Duration total : order.totals) {
      for (const Duration bound : bounds) CHECK(seconds(total) >= kSmallest * seconds(bound));
    }
    CHECK(std::ranges::min(order.totals) < std::ranges::max(order.totals));
  }
}

TEST_CASE("a perturbed task's time is still its ideal time and its losses, to the picosecond") {
  const Experiment experiment = small();
  const Compiled compiled = compile_all(experiment);
  for (std::uint32_t p = 0; p < compiled.passes.size(); ++p) {
    TaskJitter hooks(compiled.passes[p].schedule, {.durations = kSpread}, 0, p);
    RunOptions options = options_of(experiment, true);
    options.hooks = &hooks;
    for (const RankResult& rank : run_pass(experiment, compiled, p, options).ranks) {
      for (const TaskRecord& record : rank.records) {
        Duration sum = record.ideal;
        for (const Duration lost : record.lost) {
          CHECK(lost >= Duration::zero());
          sum += lost;
        }
        CHECK(record.end - record.start == sum);
      }
    }
  }
}

TEST_CASE("the fastest are counted run by run, and threads change nothing") {
  const Experiment experiment = small();
  const JitterOptions options{20, 5, kSpread, 0.1};
  const std::vector<JitteredOrder> orders = jitter(experiment, two_orders(), options, 1);
  CHECK(text_of_spread(orders) == text_of_spread(jitter(experiment, two_orders(), options, 3)));
  for (const JitteredOrder& order : orders) {
    std::uint32_t fastest = 0;
    for (std::size_t run = 0; run < order.totals.size(); ++run)
      fastest += order.totals[run] == std::min(orders[0].totals[run], orders[1].totals[run]);
    CHECK(order.fastest == fastest);
  }
  const std::vector<OrderSpec> twice{shipped_order("full"), shipped_order("full")};
  for (const JitteredOrder& order : jitter(experiment, twice, options, 1))
    CHECK(order.fastest == options.runs);
}

namespace {

// Puts take twice as long.
class SlowPuts final : public TaskHooks {
 public:
  explicit SlowPuts(const Schedule& schedule) : schedule_(schedule) {}
  double slowness(RankId rank, std::uint32_t task) override { return is_put(rank, task) ? 2 : 1; }
  bool is_put(RankId rank, std::uint32_t task) const {
    const TaskDescriptor& td = schedule_[index(rank)].tasks()[task];
    return td.task_type == static_cast<std::uint16_t>(TaskType::kPutMemSignal) && td.dst != index(rank);
  }

 private:
  const Schedule& schedule_;
};

}  // namespace

TEST_CASE(
    "a slow put goes at a part of its worker's rate, and neither its start nor its fence takes longer") {
  const Experiment experiment = small({"experiment.pass=forward"});
  const Compiled compiled = compile_all(experiment);
  SlowPuts hooks(compiled.passes[0].schedule);
  RunOptions options = options_of(experiment, true);
  const RunResult as_modelled = run_pass(experiment, compiled, 0, options);
  options.hooks = &hooks;
  const RunResult slow = run_pass(experiment, compiled, 0, options);
  const Duration around = experiment.hardware.fabric.put_startup + experiment.hardware.fabric.put_fence;
  std::size_t puts = 0;
  for (std::uint32_t r = 0; r < kEp; ++r) {
    for (std::uint32_t t = 0; t < slow.ranks[r].records.size(); ++t) {
      if (!hooks.is_put(RankId{r}, t)) continue;
      const Duration before = as_modelled.ranks[r].records[t].ideal - around;
      const Duration after = slow.ranks[r].records[t].ideal - around;
      constexpr double kWholeRates = 1e-9;
      CHECK(seconds(after) == Approx(2 * seconds(before)).epsilon(kWholeRates));
      ++puts;
    }
  }
  CHECK(puts > 0);
}

TEST_CASE("where all runs lie to one side of what is modelled, the page says why, and nowhere else") {
  const Experiment experiment = small();
  bool apart = false, among = false;
  // One run lies to one side; runs without spread are what is modelled.
  for (const JitterOptions& options : {JitterOptions{1, 1, kSpread, 0.1}, JitterOptions{3, 1, 0, 0}}) {
    const std::vector<JitteredOrder> orders = jitter(experiment, two_orders(), options, 2);
    const std::string text = text_of_spread(orders);
    for (const JitteredOrder& order : orders) {
      const auto [least, most] = std::ranges::minmax(order.totals);
      const bool outside = order.modelled < least || order.modelled > most;
      CHECK(order.why_apart.empty() == !outside);
      const std::string said = order.name + " as modelled";
      CHECK((text.find(said) != std::string::npos) == outside);
      if (outside) CHECK(text.find(order.why_apart) != std::string::npos);
      (outside ? apart : among) = true;
    }
  }
  CHECK((apart && among));
}

TEST_CASE("a trial says how the latencies of its orders are distributed, from the runs that it has made") {
  const Experiment experiment = small();
  TryOptions options{{8, 5, kSpread, 0.1}, false, 2};
  CHECK(try_order(experiment, shipped_order("naive"), options).spread.empty());
  options.spread = true;
  const OrderComparison comparison = try_order(experiment, shipped_order("naive"), options);
  REQUIRE(comparison.spread.size() == comparison.orders.size());
  const std::vector<JitteredOrder> alone = jitter(experiment, two_orders(), options.jitter, 1);
  for (const JitteredOrder& order : alone) {
    const auto found = std::ranges::find(comparison.spread, order.name, &JitteredOrder::name);
    REQUIRE(found != comparison.spread.end());
    CHECK(found->totals == order.totals);
    CHECK(found->modelled == order.modelled);
  }
  const std::string text = order_report(experiment, comparison, options.jitter).text();
  CHECK(text.find("as modelled ms") != std::string::npos);
}
