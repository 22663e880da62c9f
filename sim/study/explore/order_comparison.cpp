#include "sim/study/explore/order_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/operators/operator.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/order_file.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/data/data_report.h"

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
  return a.assignment() == b.assignment() && same_bytes(a.tasks(), b.tasks()) &&
         same_bytes(a.events(), b.events()) && same_bytes(a.worker_sets(), b.worker_sets()) &&
         same_bytes(a.queue(QueueType::kCtq), b.queue(QueueType::kCtq)) &&
         same_bytes(a.queue(QueueType::kVtq), b.queue(QueueType::kVtq));
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

TriedOrder::Pass tried_pass(const Schedule& schedule, const RunResult& run) {
  TriedOrder::Pass pass;
  pass.latency = run.makespan;
  for (const OperatorInfo& op : schedule.front().operators()) {
    pass.names.push_back(op.name);
    pass.queues.push_back(Operators::get(op.type).queue());
  }
  pass.operators.resize(pass.names.size());
  pass.l2.resize(pass.names.size());
  std::vector<std::uint16_t> ops;
  for (std::size_t r = 0; r < schedule.size(); ++r) {
    ops.clear();
    for (const TaskDescriptor& td : schedule[r].tasks()) ops.push_back(td.op);
    add_records(run.ranks[r].records, ops, pass.operators);
    for (std::size_t op = 0; op < pass.l2.size(); ++op) pass.l2[op] += run.ranks[r].l2_by_op[op];
    for (std::uint32_t q = 0; q < kQueues; ++q) pass.busy[q] += run.ranks[r].busy[q];
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

void verify_and_run(OrderComparison& comparison, const std::vector<Candidate>& candidates, unsigned threads) {
  struct Job {
    std::size_t order, pass;
    bool verify;
  };
  const std::size_t passes = candidates.front().compiled.passes.size();
  std::vector<Job> jobs;
  std::vector<Findings> findings(passes);
  for (std::size_t p = 0; p < passes; ++p) jobs.push_back({0, p, true});
  for (std::size_t o = 0; o < comparison.orders.size(); ++o) {
    if (comparison.orders[o].same_as || !comparison.orders[o].refused.empty()) continue;
    comparison.orders[o].passes.resize(passes);
    for (std::size_t p = passes; p-- > 0;) jobs.push_back({o, p, false});  // backward takes longer
  }
  in_parallel(jobs.size(), threads, [&](std::size_t j) {
    const auto& [o, p, verifies] = jobs[j];
    const Candidate& of = candidates[o];
    const Schedule& schedule = of.compiled.passes[p].schedule;
    if (verifies) {
      findings[p] = verify(schedule);
    } else {
      comparison.orders[o].passes[p] =
          tried_pass(schedule, run_pass(of.experiment, of.compiled, p, options_of(of.experiment, true)));
    }
  });
  for (std::size_t p = 0; p < passes; ++p)
    add_findings(candidates.front().experiment.passes[p].name, findings[p], comparison.findings);
}

}  // namespace

const TriedOrder* OrderComparison::best() const {
  const TriedOrder* best = nullptr;
  for (std::size_t o = 1; o < orders.size(); ++o) {
    if (orders[o].refused.empty() && (!best || orders[o].total < best->total)) best = &orders[o];
  }
  return best;
}

QueueType OrderComparison::main_queue() const {
  for (const TriedOrder::Pass& pass : tried().passes) {
    if (pass.busy[static_cast<std::size_t>(QueueType::kCtq)] > Duration::zero()) return QueueType::kCtq;
  }
  return QueueType::kVtq;
}

OrderComparison try_order(const Experiment& experiment, const OrderSpec& order, unsigned threads) {
  std::vector<OrderSpec> specs{order};
  for (const std::filesystem::path& file : shipped_order_files()) specs.push_back(read_order_file(file));
  OrderComparison comparison;
  std::vector<Candidate> candidates;
  for (OrderSpec& spec : specs) {
    comparison.orders.push_back({spec.name, {}, {}, {}, {}});
    candidates.push_back({with_order(experiment, std::move(spec)), {}});
  }
  in_parallel(specs.size(), threads,
              [&](std::size_t o) { compile(comparison.orders[o], candidates[o], o > 0); });
  mark_same(comparison.orders, candidates);
  verify_and_run(comparison, candidates, threads);
  for (TriedOrder& of : comparison.orders) {
    if (of.same_as) of.passes = comparison.orders[*of.same_as].passes;
    for (const TriedOrder::Pass& pass : of.passes) of.total += pass.latency;
  }
  if (!candidates.front().compiled.passes.empty()) {
    for (const Ssc& ssc : candidates.front().compiled.passes.front().schedule) {
      for (const QueueType queue : {QueueType::kCtq, QueueType::kVtq})
        comparison.workers[static_cast<std::size_t>(queue)] += ssc.workers(queue);
    }
  }
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
  for (DataCase& of : cases) {
    of.experiment = with_order(std::move(of.experiment), order);
    std::ranges::move(check_data(DataCheck(std::move(of), kSeed), {}).faults,
                      std::back_inserter(comparison.findings.errors));
  }
  comparison.results = "right, on real tensors at a small shape";
}

}  // namespace a3sim
