#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/verify.h"
#include "sim/experiment/experiment.h"
#include "traces/operator_stats.h"

namespace a3sim {

// An order under which an experiment ran.
struct TriedOrder {
  struct Pass {
    Duration latency{};
    std::vector<std::string> names;        // of the operators
    std::vector<QueueType> queues;         // likewise
    std::vector<OperatorStats> operators;  // over all ranks
    std::vector<L2Traffic> l2;             // likewise, by operator
    Duration busy[kQueues] = {};           // tasks running, summed over all workers of all ranks
  };
  std::string name;
  std::optional<std::size_t> same_as;  // an earlier one with the same schedules: it was run, this one was not
  std::string refused;                 // why it cannot be compiled for the experiment; it was not run
  std::vector<Pass> passes;
  Duration total{};
};

// One order beside the shipped ones.
struct Trial {
  std::vector<TriedOrder> orders;           // the tried one, then the shipped ones by name
  Findings findings;                        // of the tried one's schedules, all passes
  std::string results;                      // what check_results() says; empty if it was not asked
  std::uint32_t workers[kQueues] = {0, 0};  // of all ranks together

  const TriedOrder& tried() const { return orders.front(); }
  // The fastest of the shipped ones; nothing if none fits.
  const TriedOrder* best() const;
  // Which workers the experiment keeps busy: AIC, unless it has no work for them.
  QueueType main_queue() const;
};

// Compiles the experiment under the order and under each shipped one, verifies the order's schedules and runs
// them all; equal schedules once. Throws InputError for an order that cannot be compiled, RunError where a
// run fails.
Trial try_order(const Experiment& experiment, const OrderSpec& order, unsigned threads);

// Runs a configuration under the trial's order with real tensors, at a small shape of the same structure, and
// compares with a plain reference; adds what is wrong to the findings. An order that lists the tasks of one
// shape, and an experiment that has no small shape, are not checked: `results` says so.
void check_results(const std::filesystem::path& config, std::span<const std::string> overrides,
                   const OrderSpec& order, Trial& trial);

std::string trial_text(const Experiment& experiment, const Trial& trial);
nlohmann::ordered_json trial_json(const Experiment& experiment, const Trial& trial);

// Why the tried order takes longer than another (or less: then negative), for a mean worker of the kind that
// the experiment keeps busy. A pass's latency is for such a worker the sum of what the tasks of each operator
// wait, take alone, and lose to each limit, and of its time without a task: so the reasons add up to the
// difference.
struct TrialReason {
  double seconds = 0;
  std::string text;  // "tasks of GMM1 in forward wait 0.412 ms more for their rows, …"
};
std::vector<TrialReason> trial_reasons(const Experiment& experiment, const Trial& trial,
                                       const TriedOrder& than);

// One sentence: is the order better than the best shipped one, by how much, and where does the difference
// come from?
std::string trial_verdict(const Experiment& experiment, const Trial& trial);

}  // namespace a3sim
