#pragma once

#include <cstdint>
#include <vector>

#include "sim/runtime/run.h"

namespace a3sim {

// The contents of the L2 of one rank over a run.
struct L2Held {
  Duration
      makespan{};  // of the run; held[i] is what it held after (i + 1) / held.size() of the time asked for
  std::vector<std::vector<std::uint64_t>> bytes;  // by time, then by tensor
};

// Runs a schedule as run_schedule() does, and looks `samples` times, at equal distances until `until`, at what
// the L2 of `rank` holds of each of its tensors. What earlier runs on other memory left there comes last. Looking
// changes no time. Returns no bytes for an L2 that does not know them: one of lines, or of given rates.
L2Held run_for_l2(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                  const Program& program, const NetworkBackend& backend, const RunOptions& options,
                  std::uint32_t rank, Duration until, std::uint32_t samples);

}  // namespace a3sim
