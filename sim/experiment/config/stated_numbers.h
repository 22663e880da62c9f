#pragma once

#include <functional>
#include <string>

#include "sim/experiment/experiment.h"

namespace a3sim {

// Returns the largest numbers that `--set` states or, without any, the configuration's own file, not what it includes:
// "step.sequence=16777216 (mine.yaml:3:13), …". Empty if it states none.
std::string stated_numbers(const Experiment& experiment);

// Runs `work`. Adds the stated numbers to an InputSizeError or a RunSizeError of it, and to a lack of memory, since these
// follow from the configuration and name none of its keys.
void name_stated_numbers(const Experiment& experiment, const std::function<void()>& work);

}  // namespace a3sim
