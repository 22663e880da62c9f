#pragma once

#include "sim/experiment/step/expert_times.h"

namespace a3sim {

// Returns the times of the MoE-FFN as consecutive kernels of one die: permute, products of each expert,
// SwiGLU, and exchanges by kernels that hold `program.bulk.workers`. Rows are those of the busiest rank.
// Throws InputError if the program has no block `bulk`.
ExpertTimes expert_kernels(const Experiment& experiment, const StepOptions& step,
                           const BlockExperts& experts);

}  // namespace a3sim
