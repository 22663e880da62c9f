#pragma once

#include <vector>

#include "sim/experiment/experiment.h"
#include "traces/trace.h"

namespace a3sim {

// Compiles an experiment of schedules and runs it with task records.
std::vector<TracedPass> traced_passes(const Experiment& experiment, unsigned threads);

}  // namespace a3sim
