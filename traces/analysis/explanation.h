#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "traces/analysis/critical_path.h"
#include "traces/analysis/overlap.h"
#include "traces/analysis/roofline.h"
#include "traces/analysis/worker_time.h"
#include "traces/report/report.h"

namespace a3sim {

// Explains where the time of one run went.
struct Explanation {
  std::vector<std::vector<WorkerTimes>> workers;  // by rank, then by kind
  CriticalPath path;
  std::vector<Overlap> overlaps;  // one entry per rank
  std::vector<Roofline> roofs;    // one entry per operator
};

// Throws InputError if the trace's tasks do not fit each other.
Explanation explain(const Trace& trace);

// Reports a pass: tables for people, every step of the path for programs. Shows workers and communication
// of `rank` (kNone: all).
Report explanation_report(const std::string& pass, const Trace& trace, const Explanation& explanation,
                          std::uint32_t rank);

// Returns what moves rows between ranks: "puts" of workers, or "exchanges" of collectives and of streams.
std::string_view transfers_of(const TraceMachine& machine);
// Returns a readable name: "puts that share a port".
std::string described(Blame blame, const TraceMachine& machine);
}  // namespace a3sim
