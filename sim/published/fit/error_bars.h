#pragma once

#include <string>
#include <vector>

#include "sim/published/fit/intervals.h"

namespace a3sim {

// Returns the key of the error bars that belong to these predictions of a table (interval_key()).
std::string error_bar_key(const PublishedTable& table, std::vector<Point> points, const Scenario& scenario);

// Computes the error bars of a table's predictions, and enters them into `intervals`. Long tables take fewer draws, and no ends
// of ranges. Returns the points with their bars, and what moves each of them most, as text.
std::string compute_error_bars(const PublishedTable& table, const SensitivityOptions& draws,
                               const Scenario& scenario, Intervals& intervals);

}  // namespace a3sim
