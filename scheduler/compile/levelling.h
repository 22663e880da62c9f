#pragma once

#include "scheduler/compile/components.h"
#include "scheduler/compile/dependencies.h"

namespace a3sim {

// Inserts Join tasks into components that wait for themselves, so that none does. Adds an operator `Join` if
// one is needed. Returns the number of Join tasks.
std::uint64_t level(Taskflow& taskflow, Dependencies& dependencies, const Components& components);

}  // namespace a3sim
