#pragma once

#include <map>
#include <string>
#include <utility>

#include "traces/import/measured.h"

namespace a3sim {

// Collectives that ranks share. A collective ends everywhere at about one time: what the ends differ by, the
// clocks differ by.
class Meetings {
 public:
  // In microseconds of the rank's own clock; `key` is the same on all ranks. Ranks come one after the other, and
  // of the first one's meetings a few thousand are kept.
  void add(std::uint32_t rank, const std::string& key, double start, double end);
  // By each rank against the first, from the meetings of all; removes the offsets from the ranks' dates. Of one
  // rank, or where nothing is shared, nothing changes.
  void align(Measured& profile) const;

 private:
  struct Dates {
    double start = 0, end = 0;
  };
  std::map<std::string, std::map<std::uint32_t, Dates>> meetings_;
};

}  // namespace a3sim
