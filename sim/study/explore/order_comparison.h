#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/verify/verify.h"
#include "sim/experiment/evaluate.h"
#include "sim/study/explore/noise.h"
#include "sim/study/explore/order_conditions.h"
#include "traces/analysis/worker_time.h"
#include "traces/report/report.h"

namespace a3sim {

// An order under which an experiment ran.
struct TriedOrder {
  // What happened in a pass, in one of the runs: OrderComparison::explained.
  struct Pass {
    Duration latency{};
    std::vector<std::string> names;        // of the operators
    std::vector<std::uint32_t> queues;     // of each operator's tasks
    std::vector<OperatorStats> operators;  // by operator, over all ranks
    std::vector<L2Traffic> l2;             // by operator, over all ranks
    std::vector<Duration> busy;            // by kind: tasks running, summed over all its workers of all ranks
    std::vector<WorkerTimes> times;        // by kind: all that these workers' time goes into
  };
  std::string name;
  std::optional<std::size_t> same_as;  // the first one before it with the same schedules
  std::string refused;                 // why it cannot be compiled for the experiment; it was not run
  std::vector<Pass> passes;
  std::vector<Latencies> latencies;  // by pass, by run
  Latencies totals;                  // by run
  Duration total() const { return median_of(totals); }
};

// One order beside the shipped ones.
struct OrderComparison {
  std::vector<TriedOrder> orders;  // the tried one, then the shipped ones by name
  Findings findings;               // of the tried one's schedules, all passes, and its results
  std::string results;             // what check_results() says of it; empty if that was not asked
  WorkerKinds workers;             // of all ranks together
  // The run whose tasks are looked at: the one in which the tried order differs from the best shipped one by the
  // median, so that its reasons add up to that.
  std::uint32_t explained = 0;
  std::vector<ConditionOutcome> conditions;  // the tried order beside the best shipped one; none if not asked

  const TriedOrder& tried() const { return orders.front(); }
  // The fastest of the shipped ones; nothing if none fits.
  const TriedOrder* best() const;
  // The kind of worker that the experiment keeps busy: that of matrix tasks, unless there is no work for it.
  std::uint32_t main_kind() const;
};

struct TryOptions {
  JitterOptions jitter{};
  bool conditions = true;  // under other routings and on other numbers of workers too
  unsigned threads = 1;    // the result does not depend on it
  // What the experiment is made from: results are checked by it too, on real tensors; empty: they are not.
  std::filesystem::path config{};
  std::vector<std::string> set{};
};

// Compiles the experiment under the order and under each shipped one, checks the order's schedules and results, and
// runs them all under the same jitter; passes with equal schedules once. Then the order and the best shipped one under
// other conditions. What is wrong with schedules, or else with results, is all that is said then. Throws InputError
// for an order that cannot be compiled, RunError where a run fails.
OrderComparison try_order(const Experiment& experiment, const OrderSpec& order, const TryOptions& options);

// The experiment, which has schedules, as it is modelled, in place of the tried order, beside one of its jittered runs.
OrderComparison modelled_beside(const Variant& variant, const JitterOptions& jitter, std::uint32_t run);

// Why the tried order takes longer than another (or less: then negative), for a mean worker of the kind that
// the experiment keeps busy. A pass's latency is for such a worker the sum of what the tasks of each operator
// wait, take alone, and lose to each limit, and of its time without a task: so the reasons add up to the
// difference. Throws std::logic_error for an order that was not run.
struct LatencyReason {
  double seconds = 0;
  std::string text;  // "tasks of GMM1 in forward wait 0.412 ms more for their rows, …"
};
std::vector<LatencyReason> latency_reasons(const Experiment& experiment, const OrderComparison& comparison,
                                           const TriedOrder& than);

// A line an order, and a sentence: is the tried one better than the best shipped one, by how much, and where
// does the difference come from?
Report order_report(const Experiment& experiment, const OrderComparison& comparison,
                    const JitterOptions& jitter);

}  // namespace a3sim
