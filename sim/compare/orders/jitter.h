#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run/evaluate.h"
#include "sim/variation/noise.h"
#include "traces/report/report.h"

namespace a3sim {

// How the latencies of all passes under one order are distributed under noise.
struct JitteredOrder {
  std::string name;
  Duration modelled{};  // without any jitter
  Latencies totals;     // one entry per run
  // One entry per run: the time from the first rank's end to the last one's, summed over passes.
  Latencies ends_apart;
  std::uint32_t fastest = 0;  // runs in which no other order was faster
  // If all runs are faster, or all slower, than `modelled`: the main reason, from the run nearest the
  // median.
  std::string why_apart;

  bool all_faster() const { return std::ranges::max(totals) < modelled; }
  bool all_slower() const { return std::ranges::min(totals) > modelled; }
};

// Adds how each order's latencies are distributed, every run for programs, which order is the best, and whether the
// modelled latency lies among the runs.
void add_spread(Report& report, std::span<const JitteredOrder> orders);

// Reports the same of an experiment as it is, in all runs of the jitter: for work that no order sorts.
Report spread_report(const Experiment& experiment, const JitterOptions& options, unsigned threads);

}  // namespace a3sim
