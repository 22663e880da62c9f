#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/experiment/run_experiment.h"

namespace a3sim {

// A figure of one pass of a run, or of all of them ('total'): what sweeps record.
struct PointMetric {
  std::string pass, name;
  double value = 0;
  std::string unit;  // "ms", "MB", "%"; "" for a number
};

// What there is to be asked for; `blame` is the critical path's share of each resource, blame.cube and so on,
// which sum to the latency.
std::vector<std::string> metric_names();

// Whether a name needs every task's record and their analysis, which costs more than all others.
bool needs_records(std::string_view name);

// Of all passes; those that need records only if they were `recorded`.
std::vector<PointMetric> metrics_of(const Experiment& experiment, std::span<const PassResult> passes,
                                    bool recorded);

}  // namespace a3sim
