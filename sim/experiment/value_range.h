#pragma once

#include <vector>

#include "sim/experiment/compiled.h"

namespace a3sim {

// What latencies come to at the two ends of what public sources leave open of the links, of collectives, and of
// launching and meeting: all values at their fast ends, and all at their slow ones. No probability is meant.
struct LatencyRange {
  std::vector<Duration> fast, slow;   // by pass
  std::vector<SourcedValue> assumed;  // the values, those alone that this way of running uses
};
LatencyRange latency_range(const Experiment& experiment, const Compiled& compiled);

}  // namespace a3sim
