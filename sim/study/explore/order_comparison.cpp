#include "sim/study/explore/order_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "models/operators/operator.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/order_file.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/explore/order_results.h"
#include "sim/study/summary/run_trace.h"

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
    pass.queues.push_back(kinds.queue_for(Operators::get(op.type).unit()));
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

// Shipped orders that do not fit are left out; the tried one must.
void compile(TriedOrder& order, UnderOrder& under, bool shipped) {
  try {
    under.compiled = compile_all(under.experiment);
  } catch (const InputError& error) {
    if (!shipped) throw;
    order.refused = error.what();
  }
}

void add_findings(const std::string& pass, const Findings& of, Findings& all) {
  for (const std::string& error : of.errors) all.errors.push_back(pass + ": " + error);
  for (const std::string& note : of.notes) all.notes.push_back(pass + ": " + note);
}

TriedOrder::Pass look_at(const UnderOrder& of, std::size_t pass, const JitterOptions& jitter,
                         std::uint32_t run) {
  return tried_pass(of.experiment, of.compiled.passes[pass].schedule,
                    run_jittered(of.experiment, of.compiled, pass, jitter, run, true));
}

// One of the runs of a pass; of a single one, what happens in it too.
void run_one(TriedOrder& order, const UnderOrder& of, std::size_t pass, const JitterOptions& jitter,
             std::uint32_t run) {
  if (jitter.draws() == 1) {
    order.passes[pass] = look_at(of, pass, jitter, run);
    order.latencies[pass][run] = order.passes[pass].latency;
  } else {
    order.latencies[pass][run] = run_jittered(of.experiment, of.compiled, pass, jitter, run, false).makespan;
  }
}

// Checks the tried order's results, which takes as long as some runs, and its schedules, and runs what is to run.
void check_and_run(OrderComparison& comparison, const std::vector<UnderOrder>& under,
                   const EqualSchedules& equal, const TryOptions& options) {
  const UnderOrder& tried = under.front();
  const std::uint32_t runs = options.jitter.draws();
  for (std::size_t o = 0; o < under.size(); ++o) {
    comparison.orders[o].latencies.assign(under[o].compiled.passes.size(), Latencies(runs));
    comparison.orders[o].passes.resize(under[o].compiled.passes.size());
  }
  OrderResults results;
  std::exception_ptr unchecked;  // why results cannot be checked; what is wrong with schedules is said first
  std::vector<Findings> findings(tried.compiled.passes.size());
  const std::size_t checks = 1 + findings.size();
  in_parallel(checks + equal.to_run().size() * runs, options.threads, [&](std::size_t job) {
    if (job == 0) {
      if (options.config.empty()) return;
      try {
        results = check_results(options.config, options.set, tried.experiment.order);
      } catch (...) {
        unchecked = std::current_exception();
      }
    } else if (job < checks) {
      findings[job - 1] = verify(whole_schedule(tried.experiment, tried.compiled, job - 1));
    } else {
      const auto& [o, p] = equal.to_run()[(job - checks) / runs];
      run_one(comparison.orders[o], under[o], p, options.jitter,
              static_cast<std::uint32_t>((job - checks) % runs));
    }
  });
  for (std::size_t p = 0; p < findings.size(); ++p)
    add_findings(tried.experiment.passes[p].name, findings[p], comparison.findings);
  if (!comparison.findings.errors.empty()) return;
  if (unchecked) std::rethrow_exception(unchecked);
  comparison.results = std::move(results.text);
  comparison.findings.errors = std::move(results.errors);
}

// What was run for others too.
void spread(OrderComparison& comparison, const EqualSchedules& equal) {
  for (std::size_t o = 0; o < comparison.orders.size(); ++o) {
    TriedOrder& order = comparison.orders[o];
    for (std::size_t p = 0; p < order.latencies.size(); ++p) {
      const TriedOrder& first = comparison.orders[equal.first(o, p)];
      order.latencies[p] = first.latencies[p];
      order.passes[p] = first.passes[p];
    }
  }
}

void add_up(TriedOrder& order) {
  for (const Latencies& pass : order.latencies) {
    order.totals.resize(pass.size());
    for (std::size_t run = 0; run < pass.size(); ++run) order.totals[run] += pass[run];
  }
}

// The run in which two orders differ by what is nearest the median of all runs.
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

// Runs one of several runs again, for what happens in it.
void look_at_tasks(OrderComparison& comparison, const std::vector<UnderOrder>& under,
                   const EqualSchedules& equal, const TryOptions& options) {
  if (options.jitter.draws() == 1) return;
  in_parallel(equal.to_run().size(), options.threads, [&](std::size_t i) {
    const auto& [o, p] = equal.to_run()[i];
    comparison.orders[o].passes[p] = look_at(under[o], p, options.jitter, comparison.explained);
  });
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
  std::vector<OrderSpec> specs{order};
  for (const std::filesystem::path& file : files_in(configs_folder() / "orders"))
    specs.push_back(read_order_file(file));
  OrderComparison comparison;
  std::vector<UnderOrder> under;
  for (OrderSpec& spec : specs) {
    comparison.orders.push_back({spec.name, {}, {}, {}, {}, {}});
    under.push_back({with_order(experiment, std::move(spec)), {}});
  }
  in_parallel(under.size(), options.threads,
              [&](std::size_t o) { compile(comparison.orders[o], under[o], o > 0); });
  const EqualSchedules equal(under);
  for (std::size_t o = 0; o < under.size(); ++o) comparison.orders[o].same_as = equal.same_as(o);
  check_and_run(comparison, under, equal, options);
  if (!comparison.findings.errors.empty()) return comparison;
  spread(comparison, equal);
  for (TriedOrder& of : comparison.orders) add_up(of);
  const TriedOrder* const best = comparison.best();
  if (best) comparison.explained = median_run(comparison.tried().totals, best->totals);
  look_at_tasks(comparison, under, equal, options);
  spread(comparison, equal);
  count_workers(comparison, experiment.workers, under.front().compiled);
  if (options.conditions && best && best->same_as != 0) {
    const Experiment& shipped = under[static_cast<std::size_t>(best - comparison.orders.data())].experiment;
    comparison.conditions = under_conditions(experiment, comparison.tried().totals, best->totals, order,
                                             shipped.order, options.jitter, options.threads);
  }
  return comparison;
}

OrderComparison modelled_beside(const UnderOrder& of, const JitterOptions& jitter, std::uint32_t run) {
  OrderComparison comparison;
  for (const JitterOptions& how : {JitterOptions::none(), jitter}) {
    TriedOrder& order =
        comparison.orders.emplace_back(TriedOrder{of.experiment.order.name, {}, {}, {}, {}, {}});
    for (std::size_t p = 0; p < of.compiled.passes.size(); ++p)
      order.passes.push_back(look_at(of, p, how, run));
  }
  count_workers(comparison, of.experiment.workers, of.compiled);
  return comparison;
}

}  // namespace a3sim
