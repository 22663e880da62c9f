#pragma once

#include "traces/trace.h"

namespace a3sim {

// Guesses the causes of a trace that was written without them from its tasks' dates alone, without the rules by which
// they ran: each task starts because of what was over last of its worker's task before and of the trigger that it waits
// for; where it has neither, because of the beginning. Says so in the trace (`inferred`).
void infer_causes(Trace& trace);

}  // namespace a3sim
