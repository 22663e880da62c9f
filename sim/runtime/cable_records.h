#pragma once

#include <cstddef>
#include <vector>

#include "sim/core/units.h"
#include "sim/runtime/cable_use.h"

namespace a3sim {

// Records the rate at which a cable carries bytes over time. Its memory is bounded: bytes are summed in at most 2048
// equal parts of the time so far, a power of two picoseconds long each.
class CableRecord {
 public:
  // Notes that the cable carries `rate` bytes per second from `now` on; `full`: it can carry no more. Dates
  // must not decrease.
  void note(Time now, double rate, bool full);

  // Returns the stretches of time before `until` in which the cable was full.
  std::vector<CableStretch> full_stretches(Time until) const;
  // Splits the time from the start to `until` into `stretches` equal parts. Returns the mean bytes per second
  // in each, as if the bytes of each part of the record were sent evenly.
  std::vector<double> means(Time until, std::size_t stretches) const;

 private:
  void carry(std::int64_t to);
  void widen(std::int64_t to);

  std::int64_t since_ = 0;  // picoseconds, as all dates here
  double rate_ = 0;         // since then
  bool full_ = false;
  int shift_ = 0;             // binary logarithm of a part's length
  std::int64_t widest_ = 0;   // the end of the last possible part
  std::vector<double> sums_;  // by part: rate times picoseconds, before `since_`
  std::int64_t full_since_ = 0;
  std::vector<CableStretch> stretches_;
};

}  // namespace a3sim
