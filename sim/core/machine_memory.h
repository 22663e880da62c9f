#pragma once

#include "sim/core/units.h"

namespace a3sim {

// What this machine has in all.
Bytes memory_of_machine();
// What of it is left. Throws RunError where /proc/meminfo does not say.
Bytes available_memory();
// Keeps what is freed from now on for the process. A page that goes back to the system and comes again costs
// more than most of what is done with it: for what builds up and drops hundreds of megabytes several times.
void keep_freed_memory();

}  // namespace a3sim
