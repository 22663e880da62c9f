#pragma once

#include "sim/study/sweep/sweep_file.h"

namespace a3sim {

// Reads the `exclude` list of a sweep whose axes stand already. Notes axes and values that there are not.
void read_exclusions(const Config& sweep, SweepSpec& spec);

}  // namespace a3sim
