#pragma once

#include <vector>

#include "sim/experiment/experiment.h"
#include "traces/observation.h"

namespace a3sim {

// The cables between the ports of a job's ranks, and whose transfers take them, as the plan of the network has it: without
// what is wrong with it. Cables between a host and its first switch are left out: they carry what the port does.
std::vector<ObservedCables> planned_cables(const Experiment& experiment);

}  // namespace a3sim
