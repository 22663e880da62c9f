#pragma once

#include "sim/experiment/run_experiment.h"
#include "traces/trace.h"

namespace a3sim {

// Says which cables held the trace's puts up (TraceTask::link). Of the cables on a put's way that may bind it is those that
// carried all that they can for longest while the put's bytes went over them; cables that hold flows up together, as routes
// are split evenly over them, are told as those of their switch. A port may have been as full at the same time.
void blame_cables(const Experiment& experiment, const PassResult& pass, Trace& trace);

}  // namespace a3sim
