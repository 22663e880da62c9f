#pragma once

#include <cmath>
#include <cstdint>

#include "sim/core/whole_time.h"

namespace a3sim {

// Rounding noise of doubles, in picoseconds. Ends that are closer together count as one; a time that exceeds
// a whole picosecond by less counts as that picosecond.
inline constexpr double kSlack = 0x1p-10;
// The rounding noise of the virtual time of a class that has served very many bytes: relative, a few units in
// the last place.
inline constexpr double kRelativeSlack = 0x1p-50;

// A time between whole picoseconds. The fraction is in [0, 1).
struct FluidTime {
  std::int64_t whole = 0;
  double fraction = 0;

  // Returns the time rounded up to a whole picosecond.
  std::int64_t rounded() const { return whole + whole_picoseconds(fraction - kSlack); }

  friend bool operator<(const FluidTime& a, const FluidTime& b) {
    return a.whole != b.whole ? a.whole < b.whole : a.fraction < b.fraction;
  }
  // Picoseconds.
  friend double operator-(const FluidTime& a, const FluidTime& b) {
    return static_cast<double>(a.whole - b.whole) + (a.fraction - b.fraction);
  }
  // Throws RunError above a thousand seconds.
  friend FluidTime operator+(const FluidTime& time, double picoseconds) {
    const double sum = time.fraction + picoseconds, floor = std::floor(sum);
    return {time.whole + whole_picoseconds(floor), sum - floor};
  }
};

}  // namespace a3sim
