#pragma once

#include "sim/core/units.h"

namespace a3sim {

// What this machine has in all.
Bytes memory_of_machine();
// What of it is left. Throws RunError where /proc/meminfo does not say.
Bytes available_memory();

}  // namespace a3sim
