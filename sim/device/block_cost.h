#pragma once

#include "models/blocks/block.h"
#include "sim/device/kernel_cost.h"

namespace a3sim {

// What a kernel of a block is for its device, on all of its workers, from when it runs: launches are the program's matter.
// Exchanges move nothing that is priced here: a job without time.
MemoryJob block_kernel_cost(const BlockKernel& kernel, KernelCost& cost);

// How long a job takes that has the device's memory to itself.
Duration time_alone(const MemoryJob& job, const Hardware& hardware);

}  // namespace a3sim
