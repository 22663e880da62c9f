#pragma once

#include <cstdint>

#include "sim/experiment/experiment.h"

namespace a3sim {

// How many ranks stand for all of the experiment's group, as far as it turns: ranks whose rows share partitions
// (`cut.sources`) stay together. 0: nobody stands for another one.
std::uint32_t alike_ranks(const Experiment& experiment);

}  // namespace a3sim
