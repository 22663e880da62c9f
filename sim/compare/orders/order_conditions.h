#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/variation/difference_table.h"
#include "traces/report/report.h"

namespace a3sim {

// Another routing, or other numbers of workers, for an experiment.
struct Condition {
  std::string routing;  // "balanced", "skew 0.4"
  WorkerKinds workers;  // of a die
  Variation variation;  // that makes it of the experiment
};

// Returns the conditions to try: first the experiment itself, then the other numbers of workers published
// for an A3 die: 25 AIC and 50 AIV (HyperParallel-MoE, arXiv 2605.23764), or 24 and 48 (CANN's platform
// files). Other dies keep their numbers. If rows are routed, the same follows for balanced routing and for
// three sampled skews: the hottest of 64 experts gets from two to seven times the mean.
std::vector<Condition> conditions_of(const Experiment& experiment);

// The results of two orders under one condition.
struct ConditionOutcome {
  std::string routing;
  WorkerKinds workers;
  std::string refused;        // why an order does not fit; then the rest is empty
  Duration tried{}, other{};  // medians
  MedianInterval difference;  // (tried - other) / other
  std::uint32_t runs = 0;     // of each order; fewer than asked for if the difference was clear early
};

// Called with the outcomes that are known so far.
using ConditionsSink = std::function<void(const std::vector<ConditionOutcome>&)>;

// Runs both orders under each condition, all with the same jitter. For the first condition, the experiment
// itself, their latencies by run are given. `how` has the jitter and the threads. Calls `seen` after each condition
// but the last. A condition takes no more than kFewestRuns runs if by then the difference has one sign and its
// smallest amount is larger than the range of all. Throws RunError if a run fails.
std::vector<ConditionOutcome> under_conditions(const Experiment& experiment, const Latencies& tried_here,
                                               const Latencies& other_here, const OrderSpec& tried,
                                               const OrderSpec& other, const DifferenceOptions& how,
                                               const ConditionsSink& seen = {});

// Says under which conditions the first outcome holds, is reversed, or is below the noise: "mine's gain
// over full holds under 5 of the 7 other conditions, turns under …". `runs` is the number that was asked for; the last
// sentence counts the conditions that took fewer.
std::string where_it_turns(const std::string& tried, const std::string& other,
                           const std::vector<ConditionOutcome>& outcomes, std::uint32_t runs);

// Adds a line for each condition, and the sentence of where_it_turns().
void add_conditions(Report& report, const std::string& tried, const std::string& other,
                    const std::vector<ConditionOutcome>& outcomes, std::uint32_t runs);

}  // namespace a3sim
