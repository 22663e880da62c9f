#pragma once

#include "sim/experiment/run/bounds.h"
#include "sim/experiment/step/training_step.h"

namespace a3sim {

// Returns times that no run of a step can beat: the kernels of its busiest die, what they bring from HBM, what passes its
// busiest port, the busiest cable, and one micro-batch's way through all chunks and back.
Bounds step_bounds(const Hardware& hardware, const PreparedStep& prepared, const StepProgram& written);

}  // namespace a3sim
