#pragma once

#include "sim/core/config/config.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads the block `experiment` and those that its workload needs: name, way of running, shape, routing,
// passes. The hardware and the workers have been read.
void read_workload(const Config& root, Experiment& experiment);

}  // namespace a3sim
