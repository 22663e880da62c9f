#pragma once

#include "models/routing/routing.h"
#include "scheduler/ssc.h"
#include "sim/device/hardware.h"
#include "sim/network/network.h"
#include "sim/runtime/result.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

struct RunOptions {
  bool record = false;         // keep every task's life
  TaskHooks* hooks = nullptr;  // not owned
};

// The capacities of a schedule's bucket, put together from its ranks.
RoutingCounts capacity_of(const Schedule& schedule);

// Runs a static schedule, one kernel on every rank from a common start, under one routing of its bucket.
// Throws InputError for a routing above the bucket's capacity or workers that the hardware has not, RunError
// on deadlock.
RunResult run_static(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                     const NetworkBackend& backend, const RunOptions& options);

}  // namespace a3sim
