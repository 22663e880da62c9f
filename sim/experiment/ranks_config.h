#pragma once

#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads the block `ranks` (starts and clocks that differ) and puts every rank of the group on its die.
// Hardware and `parallel` have been read.
void read_ranks(const Config& root, Experiment& experiment);

}  // namespace a3sim
