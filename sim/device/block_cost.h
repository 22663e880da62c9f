#pragma once

#include "models/blocks/block.h"
#include "sim/device/kernel_cost.h"

namespace a3sim {

// Returns a block's kernel as a job on all workers of its device, from when it runs; the program adds
// launches. For exchanges it is a job without time.
MemoryJob block_kernel_cost(const BlockKernel& kernel, KernelCost& cost);

// Returns the time of a job that has the device's memory to itself.
Duration time_alone(const MemoryJob& job, const Hardware& hardware);

// Gives a kernel that shares the memory with no other the time that it takes alone.
void settle(MemoryJob& job, const Hardware& hardware);

}  // namespace a3sim
