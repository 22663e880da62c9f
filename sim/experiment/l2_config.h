#pragma once

#include "sim/core/config/config.h"
#include "sim/runtime/run.h"

namespace a3sim {

// Reads the block `l2`: policy, mode, start, hash, seed, hints by operator.
L2Options read_l2(const Config& config);

}  // namespace a3sim
