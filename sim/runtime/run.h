#pragma once

#include <vector>

#include "models/routing/routing.h"
#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/network/network.h"
#include "sim/runtime/result.h"
#include "sim/runtime/run_options.h"

namespace a3sim {

// Returns the die of each rank of the group.
std::vector<std::uint32_t> dies_of(const Schedule& schedule, const RunOptions& options);

// Returns the capacities of a schedule's bucket, combined from its ranks.
RoutingCounts capacity_of(const Schedule& schedule);

// Runs a schedule on every rank from a common start, under one routing of its bucket. A schedule may have
// fewer ranks than the group; they then represent all ranks by rotation (scheduler/compile/turns.h), and so
// does the result. Throws InputError if the routing exceeds the bucket's capacity or the hardware lacks
// workers, and RunError on deadlock.
RunResult run_schedule(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                       const Program& program, const NetworkBackend& backend, const RunOptions& options);

}  // namespace a3sim
