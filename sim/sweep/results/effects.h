#pragma once

#include <optional>
#include <vector>

#include "sim/sweep/results/sweep_results.h"

namespace a3sim {

struct FactorEffect {
  std::size_t axis = 0;
  std::vector<std::size_t> twins;  // later axes that change with it, value for value
  // Each value's mean minus the grand mean; estimated by least squares if points are missing.
  std::vector<double> levels;
  // The share of the metric's variance that the best additive model loses without this factor.
  double share = 0;
  // False if it cannot be told from the other factors. Then `levels` and `share` do not count.
  bool separable = true;
};

struct PairEffect {
  std::size_t first = 0, second = 0;
  double share = 0;
};

// Main effects of a factorial design, by least squares.
struct Effects {
  std::vector<std::size_t> points;    // points that have the metric
  SweepResults sweep;                 // those points; axes keep the values that they have
  double mean = 0;                    // over all combinations of the axes' values
  double least = 0, most = 0;         // of the metric
  std::vector<FactorEffect> factors;  // axes with two values or more, the largest share first
  double rest = 0;                    // share of interactions, which no sum of main effects explains
  std::optional<PairEffect> pair;     // the interaction of two axes that explains most of the rest
  bool saturated = false;             // as many parameters as points: nothing left to test them with
};

Effects effects_of(const SweepResults& sweep, const ResultMetric& metric);

}  // namespace a3sim
