#include "sim/study/explore/order_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "models/operators/engine_put.h"
#include "models/operators/operator.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/core/progress.h"
#include "sim/core/progress_lines.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/evaluate_by_run.h"
#include "sim/experiment/order_file.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/explore/order_results.h"

namespace a3sim {
namespace {

TriedOrder::Pass tried_pass(const Experiment& experiment, const Schedule& schedule, RunResult result) {
  const PassResult ran{"", schedule, std::move(result), {}};
  const RunResult& run = ran.run;
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

void add_findings(const std::string& pass, const Findings& findings, Findings& all) {
  for (const std::string& error : findings.errors) all.errors.push_back(pass + ": " + error);
  for (const std::string& note : findings.notes) all.notes.push_back(pass + ": " + note);
}

TriedOrder::Pass record_pass(const Variant& variant, std::size_t pass, const Draw& draw) {
  const Compiled& compiled = *variant.work->schedules();
  return tried_pass(variant.experiment, compiled.passes[pass].schedule,
                    run_drawn(variant.experiment, compiled, pass, draw, true));
}

std::vector<std::string> order_names(const OrderComparison& comparison) {
  std::vector<std::string> names;
  for (const TriedOrder& order : comparison.orders) names.push_back(order.name);
  return names;
}

// What the orders come to where a few ranks stand for all, in one run: known long before the others.
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
                                        options.alike->kept, options.alike->shape.ep)));
}

// What is to come: checks, each run, those that are recorded, and two orders under each other condition.
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
  const std::vector<Evaluated> done =
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

}  // namespace

const TriedOrder* OrderComparison::best() const {
  const TriedOrder* best = nullptr;
  for (std::size_t o = 1; o < orders.size(); ++o) {
    if (orders[o].refused.empty() && (!best || orders[o].total() < best->total())) best = &orders[o];
  }
  return best;
}

std::uint32_t OrderComparison::main_kind() const {
  const std::uint32_t matrix = workers.queue_for(CoreUnit::kMatrix);
  for (const TriedOrder::Pass& pass : tried().passes) {
    if (pass.busy[matrix] > Duration::zero()) return matrix;
  }
  return workers.queue_for(CoreUnit::kVector);
}

OrderComparison try_order(const Experiment& experiment, const OrderSpec& order, const TryOptions& options) {
  if (const std::string why = experiment.work->why_no_schedule_run(); !why.empty())
    throw InputError(experiment.name + ": " + why);
  std::vector<OrderSpec> specs{order};
  for (const std::filesystem::path& file : files_in(configs_folder() / "orders")) {
    OrderSpec shipped = read_order_file(file);
    if (names_known_operators(experiment, shipped)) specs.push_back(std::move(shipped));
  }
  OrderComparison comparison;
  std::vector<Variant> orders;
  for (OrderSpec& spec : specs) {
    comparison.orders.push_back({spec.name, {}, {}, {}, {}, {}});
    orders.push_back({with_order(experiment, std::move(spec)), nullptr});
  }
  // Shipped orders that do not fit are left out; the tried one must fit.
  std::vector<std::string> refused;
  prepare(orders, options.threads, &refused);
  if (!refused.front().empty()) throw InputError(refused.front());
  const EqualPasses equal(orders);
  for (std::size_t o = 0; o < orders.size(); ++o) {
    comparison.orders[o].refused = refused[o];
    comparison.orders[o].same_as = equal.same_as(o);
  }
  rank_alike(comparison, orders, options);
  const Progress progress(kSimulationsInAll, simulations_of(experiment, equal, options));
  check_and_run(comparison, orders, options);
  if (!comparison.findings.errors.empty()) return comparison;
  const TriedOrder* const best = comparison.best();
  if (best) comparison.explained = median_run(comparison.tried().totals, best->totals);
  record_passes(comparison, orders, equal, options);
  count_workers(comparison, experiment.workers, *orders.front().work->schedules());
  if (options.conditions && best && best->same_as != 0) {
    const Experiment& shipped = orders[static_cast<std::size_t>(best - comparison.orders.data())].experiment;
    const auto seen = [&](const std::vector<ConditionOutcome>& outcomes) {
      if (!options.compared) return;
      comparison.conditions = outcomes;
      options.compared(comparison);
    };
    comparison.conditions =
        under_conditions(experiment, comparison.tried().totals, best->totals, order, shipped.order,
                         {.jitter = options.jitter, .threads = options.threads}, seen);
  }
  return comparison;
}

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

}  // namespace a3sim
