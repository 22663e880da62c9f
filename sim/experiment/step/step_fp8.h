#pragma once

#include "sim/experiment/step/step_sections.h"

namespace a3sim {

// Says what the rate of products in eight bits alone makes of a step, and which command simulates the same step without them.
// Nothing, where there are none.
void add_fp8(const Experiment& experiment, const SimulatedStep& simulated, Report& report);

}  // namespace a3sim
