#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/runtime/run_options.h"
#include "tests/proof/reference_work.h"

// A second simulator, slow and plain, written from the pages that define a run. It looks at everything at
// every time and keeps long doubles between times. It shares only the structures of the input with
// sim/runtime, sim/memory, sim/network and sim/device.
namespace a3sim::reference {

struct Setup {
  const Schedule& schedule;
  const RoutingCounts& capacity;
  const RoutingCounts& counts;
  const Hardware& hardware;
  const Program& program;
  const RunOptions& options;  // static, dynamic or kernel; puts or collectives
  std::map<std::string, L2Answer> l2{};
};

struct Outcome {
  std::int64_t makespan = 0;                          // picoseconds
  std::vector<std::vector<std::int64_t>> start, end;  // by rank, then by task
};

// Throws std::logic_error if tasks are left when nothing can happen any more.
Outcome simulate(const Setup& setup);

}  // namespace a3sim::reference
