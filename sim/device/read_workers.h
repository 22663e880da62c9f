#pragma once

#include "sim/device/hardware.h"

namespace a3sim {

// Reads the mapping `hardware.workers`: the kinds of worker, their units, stores and pipes.
void read_workers(const Config& config, Hardware& hardware);

}  // namespace a3sim
