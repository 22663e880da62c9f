#pragma once

#include <vector>

#include "traces/report/report.h"
#include "traces/trace.h"

namespace a3sim {

// The time of one worker of a rank until the latency: `busy`, `forced` and `avoidable` sum to it.
struct CoreIdle {
  std::uint32_t rank = 0, worker = 0;
  Duration busy{};       // in tasks, from start to end
  Duration forced{};     // idle under every order: no run of the same tasks and rows ends before the bound
  Duration avoidable{};  // idle that the best order saves at most

  Duration idle() const { return forced + avoidable; }
};

// Returns every worker's, by rank. `bound`: a time that no order beats. A worker keeps its tasks, so that it is busy at least as
// long.
std::vector<CoreIdle> core_idle(const Trace& trace, Duration bound);

// Adds them to the report of a pass: for people the means of each kind and its core with the most avoidable time, for programs
// all cores.
void add_core_idle(Report& report, const Trace& trace, Duration bound);

}  // namespace a3sim
