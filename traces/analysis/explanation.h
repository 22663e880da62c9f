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
  std::vector<std::array<WorkerTimes, 2>> workers;  // by rank and kind
  CriticalPath path;
  std::vector<Overlap> overlaps;  // by rank
  std::vector<Roofline> roofs;    // by operator
};

// Throws InputError where the trace's tasks do not fit each other.
Explanation explain(const Trace& trace);

// Of a pass: tables for people, every step of the path for programs. `rank` (all: kNone) chooses whose
// workers and communication are told. The last line is the advice.
Report explanation_report(const std::string& pass, const Trace& trace, const Explanation& explanation,
                          std::uint32_t rank);

// What a reader calls it: "puts that share a port".
std::string_view described(Blame blame);

// A sentence: what the critical path is spent on most and what to try.
std::string advice(const Trace& trace, const CriticalPath& path);

}  // namespace a3sim
