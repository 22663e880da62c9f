#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/published/comparison.h"
#include "traces/report/table.h"

namespace a3sim {

// The mean distance of values from published ones, relative or, for fractions, absolute.
struct MeanError {
  std::size_t points = 0;
  double sum = 0, largest = 0;
  void add(double error);
  double mean() const { return points > 0 ? sum / static_cast<double>(points) : 0; }
};

// Compares predictions and the simplest formula with published values. Values that follow from others of
// their table do not count.
struct FormulaVerdict {
  MeanError predicted;             // of all points
  MeanError compared, by_formula;  // of points that the formula covers
  MeanError fitted, held_out;      // of points that values are fitted to, and of held-out points

  // Tell if predictions err at most half as much as the formula, and if they err less. nullopt: nothing to
  // compare.
  std::optional<bool> half() const;
  std::optional<bool> better() const;
  // Returns sentences for the top of a table: both errors, what the model lacks if `half` is missed, and the
  // errors of fitted and held-out points. Empty: nothing to compare.
  std::string text(const std::string& lacks) const;
  // Returns the same errors as a table.
  Table table() const;
};

// Returns the verdict on points of the default variant.
FormulaVerdict verdict_of(const std::vector<Comparison>& comparisons);

}  // namespace a3sim
