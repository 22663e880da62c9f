#pragma once

#include <string>
#include <vector>

#include "sim/experiment/experiment.h"
#include "sim/study/explore/noise.h"
#include "traces/report/report.h"

namespace a3sim {

// An experiment under another routing, or on other numbers of workers.
struct Condition {
  std::string routing;  // "balanced", "skew 0.4"
  WorkerKinds workers;  // of the die
  Experiment experiment;
};

// The experiment itself, then with the other numbers of workers that are published for an A3's die: 25 AIC and 50
// AIV (HyperParallel-MoE, arXiv 2605.23764), 24 and 48 (what CANN's platform files say); other dies keep theirs.
// Where rows are routed, then the same for balanced routing and sampled ones of three skews, from one at which the
// hottest of 64 experts gets twice the mean to one at which it gets seven times as much.
std::vector<Condition> conditions_of(const Experiment& experiment);

// Two orders under one condition.
struct ConditionOutcome {
  std::string routing;
  WorkerKinds workers;
  std::string refused;        // why one of them does not fit; then there is nothing else
  Duration tried{}, other{};  // medians
  MedianInterval difference;  // of the tried one from the other, as a share of the other
};

// The orders under each condition, all under the same jitter; under the first, the experiment itself, their
// latencies by run are known. Throws RunError where a run fails.
std::vector<ConditionOutcome> under_conditions(const Experiment& experiment, const Latencies& tried_here,
                                               const Latencies& other_here, const OrderSpec& tried,
                                               const OrderSpec& other, const JitterOptions& jitter,
                                               unsigned threads);

// Where what holds for the experiment itself, the first outcome, holds too, turns round, or is below the noise:
// "mine's gain over full holds under 5 of the 7 other conditions, turns under …".
std::string where_it_turns(const std::string& tried, const std::string& other,
                           const std::vector<ConditionOutcome>& outcomes);

// A line a condition, and where it turns.
void add_conditions(Report& report, const std::string& tried, const std::string& other,
                    const std::vector<ConditionOutcome>& outcomes);

}  // namespace a3sim
