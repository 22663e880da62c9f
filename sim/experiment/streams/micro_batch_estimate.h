#pragma once

#include "sim/experiment/run/run_estimate.h"

namespace a3sim {

// Returns the time and the memory that all micro-batches of all seeds are foreseen to take on so many threads. Runs the first
// one, and then that one twice, to measure them: what one more takes differs by method, machine and group. Throws as
// run_micro_batches() does.
RunEstimate estimate_of_batches(const Experiment& experiment, unsigned threads);

}  // namespace a3sim
