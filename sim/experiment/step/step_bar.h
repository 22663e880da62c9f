#pragma once

#include "sim/experiment/step/step_sections.h"

namespace a3sim {

// Says how much longer a step may take by kernels of the framework that nobody has listed (step.host.unlisted):
// the time with the most of its range. Nothing, where the value is measured.
void add_error_bar(const Experiment& experiment, const SimulatedStep& simulated, Report& report);

}  // namespace a3sim
