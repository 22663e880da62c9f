#pragma once

#include "scheduler/verify/verify.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Checks a schedule as verify() does. If it is sound, checks also that it runs to its end under the experiment's execution and
// transport, which may order kernels otherwise than events do.
Findings check_schedule(const Experiment& experiment, const Schedule& schedule);

}  // namespace a3sim
