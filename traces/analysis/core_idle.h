#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/report/report.h"
#include "traces/trace.h"

namespace a3sim {

// The time of one worker of a rank until the latency: `busy`, `forced` and `avoidable` sum to it.
struct CoreIdle {
  std::uint32_t rank = 0;
  std::string kind, core;  // AIC, AIC 3
  Duration busy{};         // in tasks, from start to end
  Duration forced{};       // idle under every order: no run of the same tasks and rows ends before the bound
  Duration avoidable{};    // idle that the best order saves at most

  Duration idle() const { return forced + avoidable; }
  // Splits the idle time until `latency`. A worker keeps its tasks, so that it is busy at least as long.
  void split(Duration latency, Duration bound);
};

// Returns every worker's, by rank. `bound`: a time that no order beats.
std::vector<CoreIdle> core_idle(const Trace& trace, Duration bound);

// Adds them to a report: for people the means of each kind and its core with the most avoidable time, for programs all cores.
// `sentence` says what the bound is.
void add_core_idle(Report& report, std::span<const CoreIdle> cores, Duration latency,
                   const std::string& sentence);
// The same of a pass.
void add_core_idle(Report& report, const Trace& trace, Duration bound);

}  // namespace a3sim
