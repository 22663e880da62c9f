#pragma once

#include <functional>

#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads `tiling.operators`: products that have other blocks than the rest, each laid over the experiment's tiling, and gives
// them to the operators of all passes. `check` is called with each of them and where it stands. Notes an error for what is
// no product of any pass, and, for work without schedules, for any.
void read_operator_tilings(const Config& operators, Experiment& experiment,
                           const std::function<void(const Config&, const Tiling&, DataType)>& check);

}  // namespace a3sim
