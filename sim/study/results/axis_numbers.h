#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/results/sweep_results.h"

namespace a3sim {

// The values of an axis as numbers of one unit: that of the first of them.
struct AxisNumbers {
  std::vector<double> values;
  std::string unit;  // empty: plain numbers
};

// None when a value is neither a number, nor a number of the same unit, nor of another unit of the same kind
// (`512 KiB` beside `1 MiB`), or when two values are the same number.
std::optional<AxisNumbers> numbers_of(const std::vector<std::string>& values);

}  // namespace a3sim
