#pragma once

#include "traces/trace.h"

namespace a3sim {

// Guesses the causes of a trace without recorded ones, from times alone; it does not use the rules by which
// tasks ran. Each task starts because of the later of two: the end of its worker's task before, and the
// trigger that it waits for. A task with neither starts because of the beginning. Sets `inferred` in the
// trace.
void infer_causes(Trace& trace);

}  // namespace a3sim
