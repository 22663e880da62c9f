#pragma once

#include <cstdint>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// The use of a rank's lanes from `start` to `end`. Sums exactly to that time.
struct Segments {
  Duration overlap{};        // compute beside communication or the host
  Duration compute{};        // only
  Duration communication{};  // only, or beside the host alone
  Duration host{};           // only
  Duration free{};
  Duration total() const { return overlap + compute + communication + host + free; }
};

// Returns the segments of one rank of a step that was recorded in full.
Segments segments(const FullStep& step, std::uint32_t rank, Duration start, Duration end);
// Uses the time from the first to the last of the rank's records.
Segments segments(const FullStep& step, std::uint32_t rank);

}  // namespace a3sim
