#pragma once

#include "sim/experiment/experiment.h"

namespace a3sim {

// Returns a time that no run of a training step can beat, without writing its program: each stage's work in the order of
// its schedule, where kernels, and the exchanges that they wait for, take their time alone. Layers run once a process
// (expert_times.h). Zero for other work. Throws InputError and RunError as prepare_step() does.
Duration least_step_time(const Experiment& experiment);

}  // namespace a3sim
