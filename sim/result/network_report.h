#pragma once

#include <cstdint>

#include "sim/experiment/experiment.h"
#include "traces/report/report.h"

namespace a3sim {

// Reports the cables and switches between the ports of an experiment's ranks: for each level of a topology its cables, its
// oversubscription, how many cables the ranks' routes use, and which of them may limit flows. Then the route between two
// ranks, if these are given (kNone: none). Throws InputError if no plane has cables, or if the group does not have the
// ranks.
Report network_report(const Experiment& experiment, std::uint32_t from, std::uint32_t to);

}  // namespace a3sim
