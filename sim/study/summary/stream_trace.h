#pragma once

#include "sim/experiment/micro_batches.h"
#include "traces/trace.h"

namespace a3sim {

// Returns the trace of a pass on streams. Lanes are the streams of a rank; its host's threads give
// activities of the host; an operator is all tasks of one name. All of a kernel's own time counts as
// arithmetic of its unit; its blocks are not modelled one by one.
Trace trace_of(const Experiment& experiment, const StreamPass& pass);

}  // namespace a3sim
