#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run/bounds.h"
#include "sim/experiment/run/compiled.h"
#include "traces/report/report.h"

namespace a3sim {

struct NamedRouting {
  std::string name;
  RoutingCounts counts;
};

// One pass under one routing, by a schedule compiled before and by one compiled for this routing.
struct Replayed {
  std::string routing, pass;
  Duration replayed{}, recompiled{};
  // Time between the end of half of the ranks and the end of the last one.
  Duration replayed_lag{}, recompiled_lag{};
  std::uint64_t empty_puts = 0;  // puts of the replayed schedule without rows: they only trigger events
  Bounds bounds;                 // of the recompiled schedule
  double cost() const { return seconds(replayed) / seconds(recompiled) - 1; }
};

// Runs the schedules on the experiment's machine and in its way under each routing, `threads` at a time.
// Throws InputError for a pass that the experiment lacks, another shape, or a routing above the bucket.
std::vector<Replayed> replay(const Experiment& experiment, std::span<const CompiledPass> compiled,
                             std::span<const NamedRouting> routings, unsigned threads);

// Reports a line for each pass and routing, and their median and worst cost.
Report replay_report(std::span<const Replayed> results);

}  // namespace a3sim
