#pragma once

#include <cstdint>
#include <string>

#include "sim/core/units.h"

namespace a3sim {

// What takes memory for each task of a pass.
enum class MemoryOf { kCompilation, kRun, kRecordedRun };

bool fits_memory(std::uint64_t tasks, MemoryOf memory_of, Bytes memory);

// Throws RunError if that would be more than `memory`: a machine that swaps stands still for all who use it.
// `what`: the experiment or pass, as the message begins.
void check_memory(const std::string& what, std::uint64_t tasks, MemoryOf memory_of, Bytes memory);

}  // namespace a3sim
