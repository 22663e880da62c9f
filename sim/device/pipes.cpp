#include "sim/device/pipes.h"

#include <algorithm>

namespace a3sim {

// A way of n pipes is found in round n, for each store as the fastest of all ways so far.
double Pipes::way(Store from, Store to, bool on_core) const {
  if (pipe(from, to) > 0) return pipe(from, to);
  std::array<double, kStores> best = rates_[at(from)];
  for (std::size_t round = 1; round < kStores; ++round) {
    for (std::size_t through = 0; through < kStores; ++through) {
      const bool left_out = on_core && through == at(Store::kGm);
      if (left_out || best[through] <= 0) continue;
      for (std::size_t next = 0; next < kStores; ++next)
        best[next] = std::max(best[next], std::min(best[through], rates_[through][next]));
    }
  }
  return best[at(to)];
}

}  // namespace a3sim
