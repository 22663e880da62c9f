#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/published/comparison.h"

namespace a3sim {

// How far values lie from published ones: shares of these, or for fractions the difference.
struct MeanError {
  std::size_t points = 0;
  double sum = 0, largest = 0;
  void add(double error);
  double mean() const { return points > 0 ? sum / static_cast<double>(points) : 0; }
};

// Predictions and the simplest formula beside published values. Values that follow from others of their table do not count.
struct FormulaVerdict {
  MeanError predicted;             // of all points
  MeanError compared, by_formula;  // of those that the formula says something about

  // Whether predictions err at most half as much as the formula does, and whether they err less; none: nothing to compare.
  std::optional<bool> half() const;
  std::optional<bool> better() const;
  // A sentence that stands above a table: both errors, and what the model lacks where half is missed. Empty: nothing to
  // compare.
  std::string text(const std::string& lacks) const;
};

// Of points of the default variant.
FormulaVerdict verdict_of(const std::vector<Comparison>& comparisons);

}  // namespace a3sim
