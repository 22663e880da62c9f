#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "sim/study/explore/noise.h"
#include "traces/report/report.h"

namespace a3sim {

// Latencies of all passes under one order.
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

// Runs the experiment `runs` times under each order, or as it is if there are no orders. The result does
// not depend on the number of threads. Throws as run_experiment() does, and InputError for orders of work
// that has no schedules.
std::vector<JitteredOrder> jitter(const Experiment& experiment, std::span<const OrderSpec> orders,
                                  const JitterOptions& options, unsigned threads);

// Reports how each order's latencies are distributed, with a histogram for people and every run for
// programs, which order is the best, and whether the modelled latency lies among the runs.
Report jitter_report(const Experiment& experiment, std::span<const JitteredOrder> orders,
                     const JitterOptions& options);

}  // namespace a3sim
