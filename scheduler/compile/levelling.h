#pragma once

#include "scheduler/compile/components.h"
#include "scheduler/compile/dependencies.h"

namespace a3sim {

// Puts Join tasks between the tasks of components that wait on themselves, so that none does any more.
// Returns how many. Adds an operator `Join` where one is needed.
std::uint64_t level(Taskflow& taskflow, Dependencies& dependencies, const Components& components);

}  // namespace a3sim
