#pragma once

#include <optional>
#include <vector>

#include "sim/study/results/sweep_results.h"

namespace a3sim {

struct FactorEffect {
  std::size_t axis = 0;
  std::vector<std::size_t>
      twins;  // later axes that change with it, value for value: they are the same factor
  // Each value's mean minus the grand mean; with missing points, what least squares make of these.
  std::vector<double> levels;
  // Of the metric's variance, what the best additive model loses without the factor.
  double share = 0;
  // Whether it can be told from the other factors; without that, the others stand above for nothing.
  bool separable = true;
};

struct PairEffect {
  std::size_t first = 0, second = 0;
  double share = 0;
};

// Main effects of a factorial design, by least squares.
struct Effects {
  std::vector<std::size_t> points;    // that have the metric
  SweepResults sweep;                 // these points; the axes' values are those that they have
  double mean = 0;                    // of all combinations of the axes' values
  double least = 0, most = 0;         // of the metric
  std::vector<FactorEffect> factors;  // axes with two values or more, by share, the largest first
  double rest = 0;                    // share that no sum of main effects explains: interactions
  std::optional<PairEffect> pair;     // the interaction of two axes that explains most of the rest
  bool saturated = false;             // as many parameters as points: nothing is left to doubt them with
};

Effects effects_of(const SweepResults& sweep, const ResultMetric& metric);

}  // namespace a3sim
