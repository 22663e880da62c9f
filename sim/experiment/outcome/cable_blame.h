#pragma once

#include "sim/experiment/run/run_experiment.h"
#include "sim/experiment/streams/micro_batches.h"
#include "traces/trace.h"

namespace a3sim {

// Finds the cables that delayed the trace's puts (TraceTask::link): of the cables that may bind on a put's
// way, those that were full for longest while its bytes went over them. Cables that delay flows together,
// because routes are split evenly over them, are named as those of their switch. A port may have been as
// full at the same time.
void blame_cables(const Experiment& experiment, const PassResult& pass, Trace& trace);
// The same of tasks on streams, each of which may send to several ranks. `places`: by task of the program, its number among
// its rank's in the trace; kNone: it is the host's.
void blame_cables(const Experiment& experiment, const StreamPass& pass,
                  const std::vector<std::uint32_t>& places, Trace& trace);

}  // namespace a3sim
