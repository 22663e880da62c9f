#include "sim/experiment/run/memory_check.h"

#include <fmt/format.h>

#include "sim/core/size_error.h"

namespace a3sim {
namespace {

// Bytes per task. Runs are measured with 2,000 experts per rank and more, compilations from EP16 to EP768.
double bytes_a_task(MemoryOf memory_of) {
  switch (memory_of) {
    case MemoryOf::kCompilation:
      return 250;
    case MemoryOf::kRun:
      return 600;
    case MemoryOf::kRecordedRun:
      return 1000;
  }
  return 0;
}

}  // namespace

double bytes_for(std::uint64_t tasks, MemoryOf memory_of) {
  return static_cast<double>(tasks) * bytes_a_task(memory_of);
}

bool fits_memory(std::uint64_t tasks, MemoryOf memory_of, Bytes memory) {
  return bytes_for(tasks, memory_of) <= static_cast<double>(memory.count);
}

void check_memory(const std::string& what, std::uint64_t tasks, MemoryOf memory_of, Bytes memory) {
  if (fits_memory(tasks, memory_of, memory)) return;
  const double bytes = bytes_for(tasks, memory_of);
  throw RunSizeError(fmt::format(
      "{}: {} {:.0f} million tasks takes some {:.1f} GB, and this machine has {:.1f}: take a smaller "
      "group, fewer experts, partitions or shares, or larger chunks",
      what, memory_of == MemoryOf::kCompilation ? "compiling" : "a run of", static_cast<double>(tasks) / 1e6,
      bytes / 1e9, static_cast<double>(memory.count) / 1e9));
}

}  // namespace a3sim
