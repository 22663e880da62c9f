#pragma once

#include "sim/experiment/run_experiment.h"
#include "traces/trace.h"

namespace a3sim {

// Finds the cables that delayed the trace's puts (TraceTask::link): of the cables that may bind on a put's
// way, those that were full for longest while its bytes went over them. Cables that delay flows together,
// because routes are split evenly over them, are named as those of their switch. A port may have been as
// full at the same time.
void blame_cables(const Experiment& experiment, const PassResult& pass, Trace& trace);

}  // namespace a3sim
