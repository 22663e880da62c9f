#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/statistics.h"
#include "sim/experiment/run/evaluate.h"
#include "traces/report/report.h"

namespace a3sim {

Duration median_of(const Latencies& latencies);

// Return by how much `a` is longer than `b`, run by run, for the runs that both have: in picoseconds, and as a share of b.
MedianInterval difference_between(const Latencies& a, const Latencies& b);
MedianInterval relative_difference(const Latencies& a, const Latencies& b);

// Formats an interval of shares as "+0.10..+0.35 %", with ", noise" if it holds zero. Empty if it is a
// single number.
std::string interval_in_percent(const MedianInterval& interval);
// Formats an interval of picoseconds as "+0.010..+0.035".
std::string interval_in_milliseconds(const MedianInterval& interval);

// Returns the note above tables that depend on jitter: "medians of 9 runs with …", or that it was one run.
std::string jitter_note(const JitterOptions& options);
// Adds the jitter to a report, for programs.
void add_jitter(Report& report, const JitterOptions& options);

}  // namespace a3sim
