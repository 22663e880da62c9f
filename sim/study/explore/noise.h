#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/statistics.h"
#include "sim/experiment/evaluate.h"
#include "traces/report/report.h"

namespace a3sim {

Duration median_of(const Latencies& latencies);

// By how much `a` is longer than `b`, run by run: in picoseconds, and as a share of b.
MedianInterval difference_between(const Latencies& a, const Latencies& b);
MedianInterval relative_difference(const Latencies& a, const Latencies& b);

// "+0.10..+0.35 %" of shares, and ", noise" where that is not clear; nothing where it is one number.
std::string interval_in_percent(const MedianInterval& interval);
// "+0.010..+0.035" of picoseconds, likewise.
std::string interval_in_milliseconds(const MedianInterval& interval);

// What is said above tables that jitter decides: "medians of 9 runs with …"; of one run that it is one.
std::string jitter_note(const JitterOptions& options);
// The same for programs.
void add_jitter(Report& report, const JitterOptions& options);

}  // namespace a3sim
