#pragma once

#include "sim/experiment/step/expert_times.h"

namespace a3sim {

// The MoE-FFN as kernels of one die that follow one another: exchanges by kernels that hold `program.bulk.workers`, of rows
// that uniform routing sends; permute, products of each expert, SwiGLU. Throws InputError where the program has no
// block `bulk`.
ExpertTimes expert_kernels(const Experiment& experiment, const StepOptions& step,
                           const BlockExperts& experts);

}  // namespace a3sim
