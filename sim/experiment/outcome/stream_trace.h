#pragma once

#include <string>

#include "sim/experiment/run/run_outcome.h"
#include "sim/experiment/streams/micro_batches.h"
#include "traces/trace.h"

namespace a3sim {

// Returns the trace of a pass on streams. Lanes are the streams of a rank; its host's threads give
// activities of the host; an operator is all tasks of one name. A kernel's own time is split by
// what its cost says that it is spent on; its blocks are not modelled one by one.
Trace trace_of(const Experiment& experiment, const StreamPass& pass);

// Returns the outcome of such a pass, without its bounds.
RunOutcome outcome_of(const Experiment& experiment, std::string name, const StreamPass& pass, Record record);

}  // namespace a3sim
