#pragma once

#include <string>
#include <vector>

#include "sim/sweep/results/sweep_results.h"

namespace a3sim {

// How much a metric changes along one axis while all other axes keep their values.
struct AxisEffect {
  std::size_t axis = 0;
  std::vector<std::size_t> twins;  // later axes that change with it, value for value
  // A comparison is of all points that differ on this axis alone, at least two. Those with every value of the axis are `complete`;
  // where there are any, others do not count.
  std::size_t comparisons = 0;
  bool complete = false;
  // The mean over the comparisons, the least and the most: the part by which the largest value exceeds the smallest, as a
  // geometric mean; if a value is not positive, the difference of both.
  double change = 0, least = 0, most = 0;
  // Values of the axis where the metric is smallest and largest in every comparison; empty: not always at the same one.
  std::string smallest_at, largest_at;
};

struct Effects {
  std::size_t points = 0, of = 0;    // points that have the metric, of all
  bool ratios = true;                // changes are parts; otherwise they are in the metric's unit
  double smallest = 0, largest = 0;  // of the metric
  double noise = 0;                  // the change along an axis of seeds; 0: there is none
  std::vector<AxisEffect>
      axes;  // those with several values, the largest change first; those without a comparison last

  // Returns true if the axis changes the metric by more than noise, and by a hundredth or more.
  bool matters(const AxisEffect& effect) const;
};

// Returns true if the axis draws random numbers anew: what changes along it is noise.
bool is_of_seeds(const ResultAxis& axis);

Effects effects_of(const SweepResults& sweep, const ResultMetric& metric);

}  // namespace a3sim
