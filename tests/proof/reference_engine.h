#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/runtime/run_options.h"
#include "tests/proof/reference_work.h"

// A second simulator: slow, plain, and written from the pages that say what a run means. It looks at everything at
// every date, keeps long doubles between dates, and shares nothing with sim/runtime, sim/memory, sim/network and
// sim/device but the structures of their input.
namespace a3sim::reference {

struct Setup {
  const Schedule& schedule;
  const RoutingCounts& capacity;
  const RoutingCounts& counts;
  const Hardware& hardware;
  const Program& program;
  const RunOptions& options;  // static, dynamic, kernel; puts or collectives
  std::map<std::string, L2Answer> l2{};
};

struct Outcome {
  std::int64_t makespan = 0;                          // picoseconds
  std::vector<std::vector<std::int64_t>> start, end;  // by rank and task
};

// Throws std::logic_error if tasks are left when nothing happens any more.
Outcome simulate(const Setup& setup);

}  // namespace a3sim::reference
