#pragma once

#include <cstdint>
#include <string>

#include "sim/core/units.h"

namespace a3sim {

// The work that takes memory for each task of a pass.
enum class MemoryOf { kCompilation, kRun, kRecordedRun };

// Estimates the bytes that the work on so many tasks takes.
double bytes_for(std::uint64_t tasks, MemoryOf memory_of);

// Returns whether the work on so many tasks fits in `memory`.
bool fits_memory(std::uint64_t tasks, MemoryOf memory_of, Bytes memory);

// Throws RunError if it does not fit, because a machine that swaps stops for all its users. `what` is the
// experiment or pass; the message begins with it.
void check_memory(const std::string& what, std::uint64_t tasks, MemoryOf memory_of, Bytes memory);

}  // namespace a3sim
