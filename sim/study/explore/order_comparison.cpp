#include "sim/study/explore/order_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ranges>
#include <set>

#include "models/operators/operator.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/order_file.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/data/data_report.h"
#include "sim/study/summary/run_trace.h"

namespace a3sim {
namespace {

struct Candidate {
  Experiment experiment;
  Compiled compiled;
};

template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

// Whether two schedules differ in nothing but their names.
bool same(const Ssc& a, const Ssc& b) {
  const auto same_queue = [&](std::uint32_t q) { return same_bytes(a.queue(q), b.queue(q)); };
  return a.assignment() == b.assignment() && a.kinds() == b.kinds() && same_bytes(a.tasks(), b.tasks()) &&
         same_bytes(a.events(), b.events()) && same_bytes(a.worker_sets(), b.worker_sets()) &&
         std::ranges::all_of(std::views::iota(0U, a.queues()), same_queue);
}

bool same(const Compiled& a, const Compiled& b) {
  for (std::size_t p = 0; p < a.passes.size(); ++p) {
    if (!std::ranges::equal(a.passes[p].schedule, b.passes[p].schedule,
                            [](const Ssc& x, const Ssc& y) { return same(x, y); }))
      return false;
  }
  return true;
}

void mark_same(std::vector<TriedOrder>& orders, const std::vector<Candidate>& candidates) {
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!orders[i].refused.empty()) continue;
    for (std::size_t before = 0; before < i && !orders[i].same_as; ++before) {
      if (orders[before].same_as || !orders[before].refused.empty()) continue;
      if (same(candidates[before].compiled, candidates[i].compiled)) orders[i].same_as = before;
    }
  }
}

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
void compile(TriedOrder& order, Candidate& candidate, bool shipped) {
  try {
    candidate.compiled = compile_all(candidate.experiment);
  } catch (const InputError& error) {
    if (!shipped) throw;
    order.refused = error.what();
  }
}

void add_findings(const std::string& pass, const Findings& of, Findings& all) {
  for (const std::string& error : of.errors) all.errors.push_back(pass + ": " + error);
  for (const std::string& note : of.notes) all.notes.push_back(pass + ": " + note);
}

void verify_and_run(OrderComparison& comparison, const std::vector<Candidate>& candidates,
                    const TryOptions& options) {
  struct Job {
    std::size_t order, pass;
    std::optional<std::uint32_t> run;  // none: verify
  };
  const std::size_t passes = candidates.front().compiled.passes.size();
  std::vector<Job> jobs;
  std::vector<Findings> findings(passes);
  for (std::size_t p = 0; p < passes; ++p) jobs.push_back({0, p, {}});
  for (std::size_t o = 0; o < comparison.orders.size(); ++o) {
    TriedOrder& order = comparison.orders[o];
    if (order.same_as || !order.refused.empty()) continue;
    order.latencies.assign(passes, Latencies(options.jitter.draws()));
    for (std::size_t p = passes; p-- > 0;) {  // backward takes longer
      for (std::uint32_t run = 0; run < options.jitter.draws(); ++run) jobs.push_back({o, p, run});
    }
  }
  in_parallel(jobs.size(), options.threads, [&](std::size_t j) {
    const auto& [o, p, run] = jobs[j];
    const Candidate& of = candidates[o];
    if (!run) {
      findings[p] = verify(whole_schedule(of.experiment, of.compiled, p));
    } else {
      comparison.orders[o].latencies[p][*run] =
          run_jittered(of.experiment, of.compiled, p, options.jitter, *run, false).makespan;
    }
  });
  for (std::size_t p = 0; p < passes; ++p)
    add_findings(candidates.front().experiment.passes[p].name, findings[p], comparison.findings);
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

TriedOrder::Pass look_at(const Experiment& experiment, const Compiled& compiled, std::size_t pass,
                         const JitterOptions& jitter, std::uint32_t run) {
  return tried_pass(experiment, compiled.passes[pass].schedule,
                    run_jittered(experiment, compiled, pass, jitter, run, true));
}

// Runs one of the runs again, for what happens in it.
void look_at_tasks(OrderComparison& comparison, const std::vector<Candidate>& candidates,
                   const TryOptions& options) {
  const std::size_t passes = candidates.front().compiled.passes.size();
  for (TriedOrder& order : comparison.orders) order.passes.resize(order.latencies.size());
  in_parallel(comparison.orders.size() * passes, options.threads, [&](std::size_t i) {
    const std::size_t o = i / passes, p = i % passes;
    TriedOrder& order = comparison.orders[o];
    if (order.same_as || !order.refused.empty()) return;
    order.passes[p] =
        look_at(candidates[o].experiment, candidates[o].compiled, p, options.jitter, comparison.explained);
  });
  for (TriedOrder& order : comparison.orders) {
    if (order.same_as) order.passes = comparison.orders[*order.same_as].passes;
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
  std::vector<OrderSpec> specs{order};
  for (const std::filesystem::path& file : files_in(configs_folder() / "orders"))
    specs.push_back(read_order_file(file));
  OrderComparison comparison;
  std::vector<Candidate> candidates;
  for (OrderSpec& spec : specs) {
    comparison.orders.push_back({spec.name, {}, {}, {}, {}, {}});
    candidates.push_back({with_order(experiment, std::move(spec)), {}});
  }
  in_parallel(specs.size(), options.threads,
              [&](std::size_t o) { compile(comparison.orders[o], candidates[o], o > 0); });
  mark_same(comparison.orders, candidates);
  verify_and_run(comparison, candidates, options);
  for (TriedOrder& of : comparison.orders) {
    if (of.same_as) of.latencies = comparison.orders[*of.same_as].latencies;
    add_up(of);
  }
  const TriedOrder* const best = comparison.best();
  if (best) comparison.explained = median_run(comparison.tried().totals, best->totals);
  look_at_tasks(comparison, candidates, options);
  count_workers(comparison, experiment.workers, candidates.front().compiled);
  if (options.conditions && best && best->same_as != 0) {
    const Experiment& shipped =
        candidates[static_cast<std::size_t>(best - comparison.orders.data())].experiment;
    comparison.conditions = under_conditions(experiment, comparison.tried().totals, best->totals, order,
                                             shipped.order, options.jitter, options.threads);
  }
  return comparison;
}

OrderComparison modelled_beside(const Experiment& experiment, const Compiled& compiled,
                                const JitterOptions& jitter, std::uint32_t run) {
  OrderComparison comparison;
  for (const JitterOptions& how : {JitterOptions::none(), jitter}) {
    TriedOrder& order = comparison.orders.emplace_back(TriedOrder{experiment.order.name, {}, {}, {}, {}, {}});
    for (std::size_t p = 0; p < compiled.passes.size(); ++p)
      order.passes.push_back(look_at(experiment, compiled, p, how, run));
  }
  count_workers(comparison, experiment.workers, compiled);
  return comparison;
}

void check_results(const std::filesystem::path& config, std::span<const std::string> overrides,
                   const OrderSpec& order, OrderComparison& comparison) {
  constexpr std::uint64_t kSeed = 1;
  for (const std::string& list : order.list_file) {
    if (list.empty()) continue;
    comparison.results = fmt::format("not checked: {} lists tasks of the whole shape", list);
    return;
  }
  std::vector<DataCase> cases;
  try {
    cases = small_cases(config, overrides, kSeed);
  } catch (const InputError& error) {
    comparison.results = fmt::format("not checked: {}", error.what());
    return;
  }
  std::set<std::string> own;  // passes of which nothing but their operators says what is right
  for (DataCase& of : cases) {
    for (std::size_t p = 0; p < of.oracles.size(); ++p) {
      if (of.oracles[p] == Oracle::kWhole) own.insert(of.experiment.passes[p].name);
    }
    of.experiment = with_order(std::move(of.experiment), order);
    std::ranges::move(check_data(DataCheck(std::move(of), kSeed), {}).faults,
                      std::back_inserter(comparison.findings.errors));
  }
  comparison.results =
      own.empty() ? "right, on real tensors at a small shape"
                  : fmt::format(
                        "as without cutting, on real tensors at a small shape; whether the operators of "
                        "{} do what they should is not checked: they are their own reference",
                        fmt::join(own, ", "));
}

}  // namespace a3sim
