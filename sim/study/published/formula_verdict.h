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
  MeanError fitted, held_out;      // of those that values are fitted to, and of those that test the fit
  std::size_t bounds = 0,
              held = 0;  // bounds, which are no predictions, and those that what was published keeps

  // Whether predictions err at most half as much as the formula does, and whether they err less; none: nothing to compare.
  std::optional<bool> half() const;
  std::optional<bool> better() const;
  // Sentences that stand above a table: both errors, and what the model lacks where half is missed; the errors of fitted
  // and of held-out points; bounds that hold. Empty: nothing to compare.
  std::string text(const std::string& lacks) const;
};

// Of points of the default variant.
FormulaVerdict verdict_of(const std::vector<Comparison>& comparisons);

}  // namespace a3sim
