#pragma once

#include <string>
#include <vector>

#include "sim/sweep/results/best_view.h"

namespace a3sim {

// The worth of the best point's value on an axis: how much worse the best point with another value is. If one
// point is that of several axes, nothing tells their worths apart: they are one decision.
struct Decision {
  std::vector<std::size_t> axes;
  std::size_t point = 0;
  double worse = 0;  // by which share: 0.02 for 2 %
  struct Change {
    std::string part;
    double value = 0;  // more than at the best point, in the metric's unit
  };
  std::vector<Change> changes;  // of the metric's parts, the largest first
};

// Returns the decisions on all axes on which other values have points, the most valuable first. Parts are
// known of a latency: times of a training step by class, or the critical path by resource, whichever was
// recorded.
std::vector<Decision> decisions_of(const SweepResults& sweep, const Objective& objective, std::size_t best);

// Adds the decisions as a table, if there are any.
void add_decisions(const SweepResults& sweep, const Objective& objective, std::size_t best, Report& report);

}  // namespace a3sim
