#pragma once

#include <cstddef>
#include <vector>

#include "sim/core/units.h"
#include "sim/runtime/cable_use.h"

namespace a3sim {

// At which rates a cable has carried bytes, from date to date.
class CableRecord {
 public:
  // From `now` on it carries this many bytes a second, which is all that it can if it is `full`. Dates do not decrease.
  void note(Time now, double rate, bool full);

  // When it was full, until a date.
  std::vector<CableStretch> full_stretches(Time until) const;
  // The mean of bytes a second in each of so many stretches of equal length, from the start until a date behind it.
  std::vector<double> means(Time until, std::size_t stretches) const;

 private:
  struct Entry {
    Time from;
    double rate = 0;
    bool full = false;
  };
  // Calls `visit(entry, from, to)` for each entry that lasts.
  template <class Visit>
  void walk(Time until, Visit visit) const;

  std::vector<Entry> entries_;
};

}  // namespace a3sim
