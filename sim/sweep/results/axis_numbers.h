#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/results/sweep_results.h"

namespace a3sim {

// The values of an axis as numbers, in the unit of the first one.
struct AxisNumbers {
  std::vector<double> values;
  std::string unit;  // empty: plain numbers
};

// Returns nullopt if a value is no number, if its unit does not convert to the first one's (`512 KiB`
// beside `1 MiB` does), or if two values are the same number.
std::optional<AxisNumbers> numbers_of(const std::vector<std::string>& values);

}  // namespace a3sim
