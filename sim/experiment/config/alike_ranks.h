#pragma once

#include <cstdint>

#include "sim/experiment/experiment.h"

namespace a3sim {

// Returns the number of representative ranks, or 0 if every rank must run. Ranks represent others where the group turns;
// those whose rows share partitions (`cut.sources`) stay together.
std::uint32_t alike_ranks(const Experiment& experiment);

}  // namespace a3sim
