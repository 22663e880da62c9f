#pragma once

#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads the blocks `cut` and `tiling`: into which tasks an experiment's passes are cut, and into which blocks their products.
// Called after its workers, run options and passes have been read.
void read_cut_and_tiling(const Config& root, Experiment& experiment);

}  // namespace a3sim
