#pragma once

#include "sim/experiment/step/step_sections.h"

namespace a3sim {

// Says how much time products in eight bits save in a step, compared with what their rate alone would save. Says nothing
// where there are none.
void add_fp8(const Experiment& experiment, const SimulatedStep& simulated, Report& report);

}  // namespace a3sim
