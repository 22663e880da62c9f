#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "traces/critical_path.h"
#include "traces/overlap.h"
#include "traces/roofline.h"
#include "traces/worker_time.h"

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

// Tables for readers; `rank` (all: kNone) chooses whose workers and communication are shown. The last line is
// a sentence that names what the critical path is spent on most, and what to try.
std::string explanation_text(const Trace& trace, const Explanation& explanation, std::uint32_t rank);

// The whole: every step of the path.
nlohmann::ordered_json explanation_json(const Trace& trace, const Explanation& explanation,
                                        std::uint32_t rank);

// The sentence: what the makespan is spent on most on the critical path and what to try.
std::string advice(const Trace& trace, const CriticalPath& path);

}  // namespace a3sim
