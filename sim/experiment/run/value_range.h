#pragma once

#include <vector>

#include "sim/experiment/run/compiled.h"

namespace a3sim {

// The latencies at the two ends of what public sources leave open about links, collectives, launches and
// barriers: with all values at their fast ends, and with all at their slow ends. It implies no probability.
struct LatencyRange {
  std::vector<Duration> fast, slow;   // one entry per pass
  std::vector<SourcedValue> assumed;  // only the values that this way of running uses
};
LatencyRange latency_range(const Experiment& experiment, const Compiled& compiled);

}  // namespace a3sim
