#pragma once

#include "sim/core/units.h"

namespace a3sim {

// Returns the machine's total memory.
Bytes memory_of_machine();
// Returns the available memory. Throws RunError if /proc/meminfo does not tell.
Bytes available_memory();
// Returns the most memory that this process has had at a time.
Bytes peak_memory();
// Keeps freed memory in the process from now on. Returning a page to the system and getting it back costs
// more than most of the work on it. Meant for code that allocates and frees hundreds of megabytes several
// times.
void keep_freed_memory();

}  // namespace a3sim
