#pragma once

#include <cstdint>

#include "sim/experiment/experiment.h"
#include "traces/report/report.h"

namespace a3sim {

// What lies between the ports of an experiment's ranks: by level of a topology the cables, how many times as much comes to a
// switch from below as goes up from it, how many cables the ranks' routes use, and which of them may hold flows up. Then the
// route between two ranks, where these are given (kNone: not). Throws InputError where no plane has cables, and for ranks that
// the group has not.
Report network_report(const Experiment& experiment, std::uint32_t from, std::uint32_t to);

}  // namespace a3sim
