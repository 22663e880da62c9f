#include "sim/compare/orders/order_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "models/operators/engine_put.h"
#include "models/operators/operator.h"
#include "sim/compare/orders/order_results.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/core/progress.h"
#include "sim/core/progress_lines.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/evaluate_by_run.h"
#include "sim/experiment/run/run_experiment.h"

namespace a3sim {
namespace {

void add_findings(const std::string& pass, const Findings& findings, Findings& all) {
  for (const std::string& error : findings.errors) all.errors.push_back(pass + ": " + error);
  for (const std::string& note : findings.notes) all.notes.push_back(pass + ": " + note);
}

TriedOrder::Pass record_pass(const Variant& variant, std::size_t pass, const Draw& draw) {
  const Compiled& compiled = *variant.work->schedules();
  return pass_facts(
      variant.experiment,
      {"", compiled.passes[pass].schedule, run_drawn(variant.experiment, compiled, pass, draw, true), {}});
}

std::vector<std::string> order_names(const OrderComparison& comparison) {
  std::vector<std::string> names;
  for (const TriedOrder& order : comparison.orders) names.push_back(order.name);
  return names;
}

// Ranks the orders where a few ranks stand for all, in one run: known long before the others.
void rank_alike(const OrderComparison& comparison, const std::vector<Variant>& orders,
                const TryOptions& options) {
  if (!options.alike || !options.ranked) return;
  std::vector<Variant> alike;
  for (const Variant& order : orders)
    alike.push_back({with_order(*options.alike, order.experiment.order), nullptr});
  std::vector<std::string> refused;
  prepare(alike, options.threads, &refused);
  const auto done =
      evaluate(alike, {.jitter = options.jitter, .threads = options.threads, .one_machine = true, .runs = 1});
  options.ranked(ranking_of(order_names(comparison), done,
                            fmt::format("one run with {} of {} ranks, which stand for all",
                                        options.alike->representatives, options.alike->shape.ep)));
}

// Returns the number of simulations to come: checks, each run, those that are recorded, and two orders under each other condition.
std::size_t simulations_of(const Experiment& experiment, const EqualPasses& equal,
                           const TryOptions& options) {
  const std::size_t runs = options.jitter.draws(), passes = equal.to_run().size();
  const std::size_t others = options.conditions ? conditions_of(experiment).size() - 1 : 0;
  const std::size_t checks = experiment.passes.size() + 1, again = runs > 1 ? passes : 0;
  // Under each condition two orders, which are prepared too.
  return checks + passes * runs + again + others * 2 * (experiment.passes.size() * runs + 1);
}

// Checks the tried order's results, which takes as long as some runs, and its schedules, and runs what is to run. Of a
// single run, what happens in it is recorded at once.
void check_and_run(OrderComparison& comparison, const std::vector<Variant>& orders,
                   const TryOptions& options) {
  const Variant& tried = orders.front();
  for (std::size_t o = 0; o < orders.size(); ++o) comparison.orders[o].passes.resize(orders[o].passes());
  OrderResults results;
  std::exception_ptr unchecked;  // why results cannot be checked; errors in schedules are reported first
  std::vector<Findings> findings(tried.passes());
  EvaluateOptions how{.jitter = options.jitter, .threads = options.threads, .one_machine = true};
  how.beside.emplace_back([&] {
    if (options.config.empty()) return;
    try {
      results = check_results(options.config, options.set, tried.experiment.order);
    } catch (...) {
      unchecked = std::current_exception();
    }
  });
  for (std::size_t p = 0; p < findings.size(); ++p) {
    how.beside.emplace_back(
        [&, p] { findings[p] = verify(whole_schedule(tried.experiment, *tried.work->schedules(), p)); });
  }
  if (options.jitter.draws() == 1) {
    how.run = [&](std::size_t o, std::size_t p, const Draw& draw) {
      comparison.orders[o].passes[p] = record_pass(orders[o], p, draw);
      return PassOutcome{comparison.orders[o].passes[p].latency, {}, false};
    };
  }
  const std::uint32_t runs = options.jitter.draws();
  std::vector<Evaluated> done =
      evaluate_by_run(orders, how, [&](std::span<const Evaluated> so_far, std::uint32_t ended) {
        if (options.ranked && ended < runs)
          options.ranked(
              ranking_of(order_names(comparison), so_far, fmt::format("{} of {} runs", ended, runs)));
      });
  for (std::size_t p = 0; p < findings.size(); ++p)
    add_findings(tried.experiment.passes[p].name, findings[p], comparison.findings);
  if (!comparison.findings.errors.empty()) return;
  if (unchecked) std::rethrow_exception(unchecked);
  comparison.results = std::move(results.text);
  comparison.findings.errors = std::move(results.errors);
  for (std::size_t o = 0; o < orders.size(); ++o) {
    for (std::size_t p = 0; p < orders[o].passes(); ++p)
      comparison.orders[o].latencies.push_back(done[o].latencies(p));
    comparison.orders[o].totals = done[o].totals();
  }
  if (!options.spread || !comparison.findings.errors.empty()) return;
  std::vector<Variant> fitting;
  std::erase_if(done, [](const Evaluated& one) { return one.passes.empty(); });
  std::ranges::copy_if(orders, std::back_inserter(fitting),
                       [](const Variant& one) { return one.passes() > 0; });
  comparison.spread = spread_of(fitting, done, options.jitter, options.threads);
}

// Returns the run in which the difference of two orders is nearest the median of all runs.
std::uint32_t median_run(const Latencies& a, const Latencies& b) {
  const double median = difference_between(a, b).median;
  std::vector<double> distances;
  for (std::size_t run = 0; run < a.size(); ++run)
    distances.push_back(std::abs(static_cast<double>((a[run] - b[run]).count()) - median));
  return static_cast<std::uint32_t>(std::ranges::min_element(distances) - distances.begin());
}

void count_workers(OrderComparison& comparison, const WorkerKinds& of_rank, const Compiled& compiled) {
  comparison.workers = of_rank;
  if (compiled.passes.empty()) return;
  for (WorkerKind& kind : comparison.workers)
    kind.count *= static_cast<std::uint32_t>(compiled.passes.front().schedule.size());
}

// Records what happens in the explained run. If there are several runs, runs that one again with records.
void record_passes(OrderComparison& comparison, const std::vector<Variant>& orders, const EqualPasses& equal,
                   const TryOptions& options) {
  if (options.jitter.draws() > 1) {
    in_parallel(equal.to_run().size(), options.threads, [&](std::size_t i) {
      const auto& [o, p] = equal.to_run()[i];
      comparison.orders[o].passes[p] = record_pass(orders[o], p, {options.jitter, comparison.explained});
    });
  }
  for (std::size_t o = 0; o < orders.size(); ++o) {
    for (std::size_t p = 0; p < orders[o].passes(); ++p)
      comparison.orders[o].passes[p] = comparison.orders[equal.first(o, p)].passes[p];
  }
}

bool is_same_order(OrderSpec a, const OrderSpec& b) {
  a.where = b.where;
  a.elsewhere = b.elsewhere;
  return a == b;
}

// The orders of a comparison, each once: the tried one, the one to compare it with, the shipped ones.
std::vector<OrderSpec> orders_beside(const Experiment& experiment, const OrderSpec& tried,
                                     const std::optional<OrderSpec>& against, OrderComparison& comparison) {
  std::vector<OrderSpec> shipped, specs{tried};
  for (const std::filesystem::path& file : files_in(configs_folder() / "orders")) {
    OrderSpec order = read_order_file(file);
    if (is_same_order(tried, order))
      comparison.tried_is_shipped = true;
    else if (names_known_operators(experiment, order))
      shipped.push_back(std::move(order));
  }
  const auto is_against = [&](const OrderSpec& order) { return is_same_order(*against, order); };
  if (against && is_same_order(tried, *against))
    throw InputError(fmt::format("--against: {} is the tried order itself", against->name));
  if (against && std::ranges::none_of(shipped, is_against)) specs.push_back(*against);
  comparison.first_shipped = specs.size();
  std::ranges::move(shipped, std::back_inserter(specs));
  if (against)
    comparison.asked_for = static_cast<std::size_t>(std::ranges::find_if(specs, is_against) - specs.begin());
  return specs;
}

// Compares one jittered run of the experiment with the experiment as modelled, which takes the place of the
// tried order.
OrderComparison modelled_beside(const Variant& variant, const JitterOptions& jitter, std::uint32_t run) {
  OrderComparison comparison;
  for (const JitterOptions& how : {JitterOptions::none(), jitter}) {
    TriedOrder& order =
        comparison.orders.emplace_back(TriedOrder{variant.experiment.order.name, {}, {}, {}, {}, {}});
    for (std::size_t p = 0; p < variant.passes(); ++p)
      order.passes.push_back(record_pass(variant, p, {how, run}));
  }
  count_workers(comparison, variant.experiment.workers, *variant.work->schedules());
  return comparison;
}

// Counts for each order the runs in which no other was faster. Ties count for all.
void count_fastest(std::vector<JitteredOrder>& orders) {
  for (std::size_t run = 0; run < orders.front().totals.size(); ++run) {
    Duration best = Duration::max();
    for (const JitteredOrder& order : orders) best = std::min(best, order.totals[run]);
    for (JitteredOrder& order : orders) order.fastest += order.totals[run] == best;
  }
}

// Returns "tasks of GMM1 in forward lose 0.1 ms more to L2 misses …", compared with the modelled run.
std::string why_apart(const Variant& variant, const JitteredOrder& order, const JitterOptions& options) {
  const Duration median = median_of(order.totals);
  const auto nearest = std::ranges::min_element(
      order.totals, {}, [&](Duration total) { return std::chrono::abs(total - median); });
  const auto run = static_cast<std::uint32_t>(nearest - order.totals.begin());
  const OrderComparison runs = modelled_beside(variant, options, run);
  const double sign = order.all_faster() ? 1 : -1;
  return weightiest(latency_reasons(variant.experiment, runs, runs.orders.back()), sign).front().text;
}

}  // namespace

TriedOrder::Pass pass_facts(const Experiment& experiment, const PassResult& ran) {
  const RunResult& run = ran.run;
  const Schedule& schedule = ran.schedule;
  const Trace trace = trace_of(experiment, ran);
  const Causes causes(trace);
  TriedOrder::Pass pass;
  pass.latency = run.makespan;
  const WorkerKinds& kinds = schedule.front().kinds();
  for (const OperatorInfo& op : schedule.front().operators()) {
    pass.names.push_back(op.name);
    pass.queues.push_back(queue_of_type(kinds, Operators::get(op.type).unit(), op.type));
  }
  pass.busy.resize(kinds.size());
  pass.times.resize(kinds.size());
  pass.operators = operator_stats(causes);
  pass.l2.resize(pass.names.size());
  for (const auto& rank : worker_times(causes)) {
    for (std::uint32_t q = 0; q < kinds.size(); ++q) {
      for (std::uint32_t t = 0; t < kWorkerTimes; ++t) pass.times[q][t] += rank[q][t];
    }
  }
  for (std::size_t r = 0; r < schedule.size(); ++r) {
    for (std::size_t op = 0; op < pass.l2.size(); ++op) pass.l2[op] += run.ranks[r].l2_by_op[op];
    for (std::uint32_t q = 0; q < kinds.size(); ++q) pass.busy[q] += run.ranks[r].busy[q];
  }
  return pass;
}

const TriedOrder* OrderComparison::best() const {
  const TriedOrder* best = nullptr;
  for (std::size_t o = first_shipped; o < orders.size(); ++o) {
    if (orders[o].refused.empty() && (!best || orders[o].total() < best->total())) best = &orders[o];
  }
  return best;
}

std::uint32_t main_kind_of(const WorkerKinds& workers, std::span<const TriedOrder::Pass> passes) {
  const std::uint32_t matrix = workers.queue_for(CoreUnit::kMatrix);
  for (const TriedOrder::Pass& pass : passes) {
    if (pass.busy[matrix] > Duration::zero()) return matrix;
  }
  return workers.queue_for(CoreUnit::kVector);
}

std::uint32_t OrderComparison::main_kind() const { return main_kind_of(workers, tried().passes); }

std::string OrderComparison::against_name() const {
  const std::string& name = against()->name;
  if (asked_for) return name;
  return name + (tried_is_shipped ? ", the best of the other shipped orders" : ", the best shipped order");
}

OrderComparison try_order(const Experiment& experiment, const OrderSpec& order, const TryOptions& options) {
  if (const std::string why = experiment.work->why_no_schedule_run(); !why.empty())
    throw InputError(experiment.name + ": " + why);
  OrderComparison comparison;
  std::vector<Variant> orders;
  for (OrderSpec& spec : orders_beside(experiment, order, options.against, comparison)) {
    comparison.orders.push_back({spec.name, {}, {}, {}, {}, {}, spec});
    orders.push_back({with_order(experiment, std::move(spec)), nullptr});
  }
  // Shipped orders that do not fit are left out; the tried one must fit.
  std::vector<std::string> refused;
  prepare(orders, options.threads, &refused);
  for (const std::size_t needed : {std::size_t{0}, comparison.asked_for.value_or(0)})
    if (!refused[needed].empty()) throw InputError(refused[needed]);
  const EqualPasses equal(orders);
  for (std::size_t o = 0; o < orders.size(); ++o) {
    comparison.orders[o].refused = refused[o];
    comparison.orders[o].same_as = equal.same_as(o);
  }
  rank_alike(comparison, orders, options);
  const Progress progress(kSimulationsInAll, simulations_of(experiment, equal, options));
  check_and_run(comparison, orders, options);
  if (!comparison.findings.errors.empty()) return comparison;
  const TriedOrder* const other = comparison.against();
  if (other) comparison.explained = median_run(comparison.tried().totals, other->totals);
  record_passes(comparison, orders, equal, options);
  count_workers(comparison, experiment.workers, *orders.front().work->schedules());
  if (options.conditions && other && other->same_as != 0 && other != &comparison.tried()) {
    const Experiment& its = orders[static_cast<std::size_t>(other - comparison.orders.data())].experiment;
    const auto seen = [&](const std::vector<ConditionOutcome>& outcomes) {
      if (!options.compared) return;
      comparison.conditions = outcomes;
      options.compared(comparison);
    };
    comparison.conditions =
        under_conditions(experiment, comparison.tried().totals, other->totals, order, its.order,
                         {.jitter = options.jitter, .threads = options.threads}, seen);
  }
  return comparison;
}

std::vector<JitteredOrder> spread_of(std::span<const Variant> variants, std::span<const Evaluated> runs,
                                     const JitterOptions& options, unsigned threads) {
  const auto modelled =
      evaluate(variants, {.jitter = JitterOptions::none(), .threads = threads, .one_machine = true});
  std::vector<JitteredOrder> spread(variants.size());
  for (std::size_t o = 0; o < variants.size(); ++o) {
    spread[o].name = variants[o].experiment.work->label(variants[o].experiment);
    spread[o].modelled = modelled[o].totals().front();
    spread[o].totals = runs[o].totals();
    spread[o].ends_apart = runs[o].ends_apart();
  }
  count_fastest(spread);
  in_parallel(variants.size(), threads, [&](std::size_t o) {
    if (variants[o].work->schedules() && (spread[o].all_faster() || spread[o].all_slower()))
      spread[o].why_apart = why_apart(variants[o], spread[o], options);
  });
  return spread;
}

}  // namespace a3sim
