#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run_experiment.h"
#include "sim/study/explore/noise.h"
#include "traces/report/report.h"

namespace a3sim {

// Latencies of one order: of all passes together, by run.
struct JitteredOrder {
  std::string name;
  Duration modelled{};  // without any jitter
  Latencies totals;     // by run
  // By run: from the first rank's end to the last one's, summed over passes.
  Latencies ends_apart;
  std::uint32_t fastest = 0;  // runs in which no other order was faster
  // Where all runs lie to one side of what is modelled: the largest reason why, from the run nearest the median.
  std::string why_apart;

  bool all_faster() const { return std::ranges::max(totals) < modelled; }
  bool all_slower() const { return std::ranges::min(totals) > modelled; }
};

// Runs the experiment under each order, or as it is where there are none, `runs` times. The result does not depend on the
// number of threads. Throws as run_experiment() does, and InputError for orders of work that has no schedules.
std::vector<JitteredOrder> jitter(const Experiment& experiment, std::span<const OrderSpec> orders,
                                  const JitterOptions& options, unsigned threads);

// How each order's latencies are distributed, a histogram of them for people, each run for programs, which
// order is the best, and whether what is modelled lies among them.
Report jitter_report(const Experiment& experiment, std::span<const JitteredOrder> orders,
                     const JitterOptions& options);

}  // namespace a3sim
