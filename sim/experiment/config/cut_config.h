#pragma once

#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads the blocks `cut` and `tiling`: into which tasks an experiment's passes are cut, and into which blocks their products.
// Called after its workers, run options and passes have been read.
void read_cut_and_tiling(const Config& root, Experiment& experiment);
// Reads `tiling.operators`, the blocks of single products. Called after the order has been read: as it may, these may name
// operators that passes leave out.
void read_tilings_of_operators(const Config& root, Experiment& experiment);

}  // namespace a3sim
