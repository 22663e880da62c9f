#pragma once

#include <cmath>
#include <cstdint>

#include "sim/core/size_error.h"
#include "sim/core/units.h"

namespace a3sim {

// Rounds a task's picoseconds up to whole ones. Throws RunSizeError above a thousand seconds: a rate or clock
// that is so far off is a mistake, and the times of many such tasks would overflow.
inline std::int64_t whole_picoseconds(double picoseconds) {
  constexpr double kMost = 1e15;
  if (!(picoseconds < kMost))
    throw RunSizeError("a task would take more than 1,000 seconds: is a rate or a clock far too low?");
  return static_cast<std::int64_t>(std::ceil(picoseconds));
}

}  // namespace a3sim
