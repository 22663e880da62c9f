#pragma once

#include <string>

#include "sim/experiment/experiment.h"

namespace a3sim {

// A line for the head of what is printed: which values of the machine and the program were set from outside their files,
// and which have no source. Empty where there are none.
std::string own_values(const Experiment& experiment);

}  // namespace a3sim
