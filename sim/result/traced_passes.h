#pragma once

#include <vector>

#include "sim/experiment/experiment.h"
#include "traces/trace.h"

namespace a3sim {

// Prepares an experiment and runs it with traces.
std::vector<TracedPass> traced_passes(const Experiment& experiment, unsigned threads);

}  // namespace a3sim
