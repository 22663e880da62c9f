#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/routing/routing.h"
#include "models/shape.h"

namespace a3sim {

// The largest number over the mean; 1 without rows.
double busiest_over_mean(std::span<const double> rows);
// Returns rows by expert, and by the rank that is home to it.
std::vector<double> rows_by_expert(const RoutingCounts& counts);
std::vector<double> rows_by_rank(const RoutingCounts& counts);
// Returns the rows by expert of some steps together.
std::vector<double> rows_of_steps(std::span<const RoutingCounts> steps);

// How uneven a layer's traffic is, and of what that is made.
struct Unevenness {
  std::size_t steps = 0;
  // Busiest over mean: in the median step, in the worst one, over all steps together, and by chance alone: as tokens so few would
  // have it if their router preferred no expert.
  struct Ratio {
    double median = 1, most = 1, together = 1, chance = 1;
  };
  Ratio expert, rank;
  // Shares of the variance of experts' rows in a step: popularity that is the same in both halves of the record, popularity that
  // changes, and chance of few tokens. They sum to 1. Zero: all experts are alike.
  double lasting = 0, drifting = 0, chance = 0;
  // Correlation of experts' popularity, without chance: with the next step's, and between the halves of the record.
  double next_step = 0, other_half = 0;
  // The part of the variance of ranks' rows in the second half's steps that the first half's counts foretell; below 0: they mislead.
  double foretold = 0;
};

// Busiest over mean by chance alone, for experts and ranks: the median of draws without a preference.
struct ChanceRatios {
  double expert = 1, rank = 1;
};
ChanceRatios chance_ratios(const MoeShape& shape);

// `shape` has the tokens of a rank in a step. Needs two steps.
Unevenness unevenness_of(std::span<const RoutingCounts> steps, const MoeShape& shape,
                         const ChanceRatios& chance);

}  // namespace a3sim
