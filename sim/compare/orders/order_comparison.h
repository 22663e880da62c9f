#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/verify/verify.h"
#include "sim/compare/orders/jitter.h"
#include "sim/compare/orders/order_conditions.h"
#include "sim/compare/orders/order_ranking.h"
#include "sim/experiment/run/evaluate.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/variation/noise.h"
#include "traces/analysis/worker_time.h"
#include "traces/report/report.h"

namespace a3sim {

// An order under which an experiment was run.
struct TriedOrder {
  // The results of a pass in one run, OrderComparison::explained.
  struct Pass {
    Duration latency{};
    std::vector<std::string> names;        // of the operators
    std::vector<std::uint32_t> queues;     // one entry per operator, of its tasks
    std::vector<OperatorStats> operators;  // one entry per operator, over all ranks
    std::vector<L2Traffic> l2;             // one entry per operator, over all ranks
    std::vector<Duration> busy;      // by kind of worker: time in tasks, summed over its workers of all ranks
    std::vector<WorkerTimes> times;  // by kind of worker: how its workers spend their time
  };
  std::string name;
  std::optional<std::size_t> same_as;  // the first earlier order with the same schedules
  std::string refused;                 // why it cannot be compiled; then it was not run
  std::vector<Pass> passes;
  std::vector<Latencies> latencies;  // by pass, then by run
  Latencies totals;                  // by run
  OrderSpec spec{};
  Duration total() const { return median_of(totals); }
};

// Returns the kind of worker that passes keep busy: that of matrix tasks, unless there are none.
std::uint32_t main_kind_of(const WorkerKinds& workers, std::span<const TriedOrder::Pass> passes);

// One order compared with the shipped ones.
struct OrderComparison {
  // The tried one, the one that it is compared with if that is not shipped, then the shipped ones by name. A tried one
  // that is itself shipped is there once.
  std::vector<TriedOrder> orders;
  bool tried_is_shipped = false;
  std::size_t first_shipped = 1;           // position of the first shipped one
  std::optional<std::size_t> asked_for{};  // the one to compare with, if one was named
  Findings findings;                       // of the tried order's schedules and results, all passes
  std::string results;                     // what check_results() says; empty if not asked
  WorkerKinds workers;                     // of all ranks together
  // The run whose tasks are compared: the one in which the difference between the tried order and the other is the
  // median, so that its reasons add up to that.
  std::uint32_t explained = 0;
  std::vector<ConditionOutcome> conditions;  // the tried order and the other one; empty if not asked
  std::vector<JitteredOrder> spread;         // how latencies are distributed; empty if not asked

  const TriedOrder& tried() const { return orders.front(); }
  // Returns the fastest of the shipped orders, but for the tried one, or nullptr if none fits.
  const TriedOrder* best() const;
  // Returns the order that the tried one is compared with: the named one, else the best shipped one; nullptr if none fits.
  const TriedOrder* against() const { return asked_for ? &orders[*asked_for] : best(); }
  // Returns what it is called in a sentence: "full, the best shipped order".
  std::string against_name() const;
  // Returns the kind of worker that the experiment keeps busy.
  std::uint32_t main_kind() const;
};

struct TryOptions {
  JitterOptions jitter{};
  bool conditions = true;  // also try other routings and numbers of workers
  unsigned threads = 1;    // the result does not depend on it
  // The experiment's configuration, for a check of results on real tensors. Empty: results are not checked.
  std::filesystem::path config{};
  std::vector<std::string> set{};
  std::optional<OrderSpec> against{};  // the order to compare with; none: the best shipped one
  bool spread = false;  // also say how latencies are distributed, and what is modelled without noise
  // The experiment with a few ranks that stand for all, whose orders are ranked first; none: they are not.
  std::optional<Experiment> alike{};
  // Told what is known before all has ended: rankings as runs end, then the comparison without conditions, and after
  // each one with those that are known.
  std::function<void(const OrderRanking&)> ranked{};
  std::function<void(const OrderComparison&)> compared{};
};

// Compiles the experiment under the order and under each shipped one, checks the order's schedules and
// results, and runs all under the same jitter; equal schedules are run once. Then runs the order and the one that it is
// compared with under other conditions. If schedules, or else results, are wrong, only that is reported.
// Throws InputError if the order cannot be compiled, RunError if a run fails.
OrderComparison try_order(const Experiment& experiment, const OrderSpec& order, const TryOptions& options);

// Returns how the latencies of prepared variants are distributed in runs that have been made, and what is modelled
// without noise.
std::vector<JitteredOrder> spread_of(std::span<const Variant> variants, std::span<const Evaluated> runs,
                                     const JitterOptions& options, unsigned threads);

// A reason why the tried order takes longer than another one (or less: then negative), for a mean worker of
// the kind that the experiment keeps busy. For such a worker a pass's latency is the sum of the time
// without a task and, for each operator, of its tasks' waits, their own time, and their losses to each
// limit. So the reasons add up to the difference. Throws std::logic_error if the order was not run.
struct LatencyReason {
  double seconds = 0;
  std::string text;    // "tasks of GMM1 in forward wait 0.412 ms more for their rows, …"
  std::string what{};  // "GMM1 in forward waits for rows"
  std::string hits{},
      other_hits{};  // of reads in the L2, of the tried order and of the other; empty unless it is misses
  // "forward: without rows". Reasons of a kind may stand for each other: what one operator waits less, the next waits more.
  std::string kind{};
};
// Sorts reasons for a difference of this sign: those of the kind that sums to most of it first, and of a kind the largest first.
std::vector<LatencyReason> weightiest(std::vector<LatencyReason> reasons, double sign);
std::vector<LatencyReason> latency_reasons(const Experiment& experiment, const OrderComparison& comparison,
                                           const TriedOrder& than);
// Does the same for two runs of the same passes by these workers of all ranks.
std::vector<LatencyReason> latency_reasons(std::span<const std::string> pass_names, const WorkerKinds& kinds,
                                           std::span<const TriedOrder::Pass> passes,
                                           std::span<const TriedOrder::Pass> than);

// Returns what happened in a run with all task records.
TriedOrder::Pass pass_facts(const Experiment& experiment, const PassResult& ran);

// Reports a line for each order, and says whether the tried one is better than the one that it is compared with, by how
// much, and where the difference comes from.
Report order_report(const Experiment& experiment, const OrderComparison& comparison,
                    const JitterOptions& jitter);

}  // namespace a3sim
