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

// Where the die of each rank of the group lies.
std::vector<std::uint32_t> dies_of(const Schedule& schedule, const RunOptions& options);

// The capacities of a schedule's bucket, put together from its ranks.
RoutingCounts capacity_of(const Schedule& schedule);

// Runs a schedule on every rank from a common start, under one routing of its bucket. A schedule of fewer ranks
// than the group has, by which it turns (scheduler/compile/turns.h), stands for all: so does the result.
// Throws InputError for a routing above the bucket's capacity or workers that the hardware has not, RunError
// on deadlock.
RunResult run_schedule(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                       const Program& program, const NetworkBackend& backend, const RunOptions& options);

}  // namespace a3sim
