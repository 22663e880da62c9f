#pragma once

#include "sim/experiment/step/step_sections.h"

namespace a3sim {

// Says what products in eight bits are worth in a step, beside what their rate alone would give. Nothing, where there are none.
void add_fp8(const Experiment& experiment, const SimulatedStep& simulated, Report& report);

}  // namespace a3sim
