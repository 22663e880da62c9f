#pragma once

#include "sim/experiment/micro_batches.h"
#include "traces/trace.h"

namespace a3sim {

// The trace of a pass on streams. Lanes are the streams of a rank; what its host's threads do are activities of the host;
// an operator is what tasks of one name do. A kernel's own time is all arithmetic of the unit that it runs on: its
// blocks are not looked at one by one.
Trace trace_of(const Experiment& experiment, const StreamPass& pass);

}  // namespace a3sim
