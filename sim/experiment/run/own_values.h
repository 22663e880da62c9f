#pragma once

#include <string>

#include "sim/experiment/experiment.h"

namespace a3sim {

// Returns a line that names the values of machine and program that were set from outside their files, and
// those without a source. Empty if there are none.
std::string own_values(const Experiment& experiment);

}  // namespace a3sim
