#pragma once

#include <string>
#include <vector>

#include "models/graph/mega_moe.h"
#include "models/worker_kinds.h"
#include "sim/core/config/config.h"

namespace a3sim {

// Reads the block `mega_moe`: how the kernel divides its work among the device's vector cores. Notes what does not fit the
// shape; `activation_segments` is empty then.
MegaMoeOptions read_mega_moe_options(const Config& block, const MoeShape& shape, const WorkerKinds& workers);

// Returns the operators that the kernel has for some numbers of tokens only, so that orders may name them.
std::vector<std::string> mega_moe_operators();

}  // namespace a3sim
