#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "traces/report/page/page.h"
#include "traces/trace.h"

namespace a3sim {

struct NamedRun {
  std::string name;
  std::span<const TracedPass> passes;
  std::uint32_t experts_per_rank = 0;  // 0: unknown
};

// Adds the timelines of runs, one below the other, with their critical paths, counters over time, and
// traffic between ranks. Throws InputError if a trace's tasks do not fit each other.
void add_runs(Page& page, std::span<const NamedRun> runs);

}  // namespace a3sim
