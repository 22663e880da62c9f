#pragma once

#include <string>
#include <vector>

#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/runtime/run_options.h"

namespace a3sim {

// Runs a sound schedule (scheduler/verify) as the execution and the transport of `options` run it, with tasks that take no
// time. Returns nothing if every task runs, otherwise one line per task or worker that waits for ever. Executions start a task
// once all that it waits for has happened, and nothing that has happened is undone, so durations do not matter: if this run
// ends, every run does. Throws as run_schedule() does for an execution that cannot run the schedule.
std::vector<std::string> find_blocked(const Schedule& schedule, const Hardware& hardware,
                                      const Program& program, const RunOptions& options);

}  // namespace a3sim
