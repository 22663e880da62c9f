#pragma once

#include "sim/experiment/step/step_sections.h"

namespace a3sim {

// Says, of a step whose routing draws, how far draws differ, and what it costs that layers and micro-batches share a few of
// them (step.draws): the error of their mean, as a part of the step.
void add_routing(const Experiment& experiment, const SimulatedStep& simulated, Report& report);

}  // namespace a3sim
