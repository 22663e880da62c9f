#pragma once

#include "sim/experiment/run_experiment.h"
#include "sim/experiment/value_range.h"
#include "traces/report/report.h"

namespace a3sim {

// What a latency is of, between which ends it lies, and which values were assumed.
Report range_report(const Experiment& experiment, std::span<const PassResult> passes,
                    const LatencyRange& range);

}  // namespace a3sim
