#pragma once

#include <optional>
#include <vector>

#include "sim/published/comparison.h"
#include "traces/report/table.h"

namespace a3sim {

// A published direction and the prediction for its two cases.
struct DirectionVerdict {
  const PublishedDirection* direction = nullptr;
  double predicted = 1;                                  // how many times faster
  std::size_t published_place = 0, predicted_place = 0;  // rank among all directions by that ratio, from 1
  bool holds() const { return (predicted > 1) == (direction->published > 1); }
};

// Returns a verdict for each of the table's directions whose cases were both predicted, in the table's order.
std::vector<DirectionVerdict> direction_verdicts(const PublishedTable& table,
                                                 const std::vector<Comparison>& comparisons);

// Returns the verdicts as a table: both ratios, their ranks, whether the sign agrees, and the source. Below
// it stand the table's reasons for each direction that differs in sign or rank. Empty without directions.
std::string directions_text(const PublishedTable& table, const std::vector<Comparison>& comparisons);

}  // namespace a3sim
