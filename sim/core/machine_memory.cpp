#include "sim/core/machine_memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

#include "sim/core/error.h"

namespace a3sim {

Bytes memory_of_machine() {
  return {std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGESIZE)}};
}

Bytes available_memory() {
  std::ifstream file("/proc/meminfo");
  std::int64_t kib = 0;
  for (std::string key; file >> key;) {
    if (key == "MemAvailable:" && file >> kib) return Bytes{kib << 10};
  }
  throw RunError("/proc/meminfo does not say how much memory is available");
}

Bytes peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {std::int64_t{usage.ru_maxrss} * 1024};
}

void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace a3sim
