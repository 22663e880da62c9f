#pragma once

#include "models/taskflow/taskflow.h"
#include "sim/core/config/config.h"

namespace a3sim {

// Reads base_m, base_n, base_k, step_k, l1_buffers, l0_buffers, order,
// unit_flag, grid_m and grid_n. Absent keys take their values from `fallback`.
Tiling read_tiling(const Config& config, const Tiling& fallback);

}  // namespace a3sim
