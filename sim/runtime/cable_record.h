#pragma once

#include <cstddef>
#include <vector>

#include "sim/core/units.h"
#include "sim/runtime/cable_use.h"

namespace a3sim {

// Records the rate at which a cable carries bytes over time.
class CableRecord {
 public:
  // Notes that the cable carries `rate` bytes per second from `now` on; `full`: it can carry no more. Dates
  // must not decrease.
  void note(Time now, double rate, bool full);

  // Returns the stretches of time before `until` in which the cable was full.
  std::vector<CableStretch> full_stretches(Time until) const;
  // Splits the time from the start to `until` into `stretches` equal parts. Returns the mean bytes per second
  // in each.
  std::vector<double> means(Time until, std::size_t stretches) const;

 private:
  struct Entry {
    Time from;
    double rate = 0;
    bool full = false;
  };
  // Calls `visit(entry, from, to)` for each entry of positive length.
  template <class Visit>
  void walk(Time until, Visit visit) const;

  std::vector<Entry> entries_;
};

}  // namespace a3sim
