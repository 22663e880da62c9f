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

// Where the time of one run went.
struct Explanation {
  std::vector<std::vector<WorkerTimes>> workers;  // by rank and kind
  CriticalPath path;
  std::vector<Overlap> overlaps;  // by rank
  std::vector<Roofline> roofs;    // by operator
};

// Throws InputError where the trace's tasks do not fit each other.
Explanation explain(const Trace& trace);

// Of a pass: tables for people, every step of the path for programs. `rank` (all: kNone) chooses whose
// workers and communication are told. The last line is `finding`, what the rules find first (traces/rules).
Report explanation_report(const std::string& pass, const Trace& trace, const Explanation& explanation,
                          std::uint32_t rank, const std::string& finding);

// What a reader calls it: "puts that share a port".
std::string_view described(Blame blame);
}  // namespace a3sim
