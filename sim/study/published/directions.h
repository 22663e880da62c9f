#pragma once

#include <optional>
#include <vector>

#include "sim/study/published/comparison.h"
#include "traces/report/table.h"

namespace a3sim {

// A published direction beside what is predicted of its two cases.
struct DirectionVerdict {
  const PublishedDirection* direction = nullptr;
  double predicted = 1;                                  // how many times faster
  std::size_t published_place = 0, predicted_place = 0;  // by that, among all directions; from 1
  bool holds() const { return (predicted > 1) == (direction->published > 1); }
};

// Returns a verdict for each of the table's directions whose cases were both predicted, in the table's order.
std::vector<DirectionVerdict> direction_verdicts(const PublishedTable& table,
                                                 const std::vector<Comparison>& comparisons);

// Returns the verdicts as a table: both ratios, the places that they have, whether the sign is the published one, and the
// source; behind it, for each that differs in either, the reason that the table gives. Empty without directions.
std::string directions_text(const PublishedTable& table, const std::vector<Comparison>& comparisons);

}  // namespace a3sim
