#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/experiment/bounds.h"
#include "sim/experiment/compiled.h"
#include "traces/report/report.h"

namespace a3sim {

struct NamedRouting {
  std::string name;
  RoutingCounts counts;
};

// One pass under one routing: by the schedule that was compiled before, and by one compiled for this routing.
struct Replayed {
  std::string routing, pass;
  Duration replayed{}, recompiled{};
  // From when half of the ranks have ended to the end of the last one.
  Duration replayed_lag{}, recompiled_lag{};
  std::uint64_t empty_puts = 0;  // of the replayed schedule: they only trigger their events
  Bounds bounds;                 // of the recompiled one
  double cost() const { return seconds(replayed) / seconds(recompiled) - 1; }
};

// Runs schedules on the experiment's machine, in its way, under each routing; `threads` at a time. Throws
// InputError for a pass that the experiment has not, another shape, and a routing above the bucket.
std::vector<Replayed> replay(const Experiment& experiment, std::span<const CompiledPass> compiled,
                             std::span<const NamedRouting> routings, unsigned threads);

// A line a pass and routing, and their median and worst cost.
Report replay_report(std::span<const Replayed> results);

}  // namespace a3sim
