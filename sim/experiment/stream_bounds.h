#pragma once

#include <span>

#include "sim/experiment/bounds.h"
#include "sim/experiment/micro_batches.h"

namespace a3sim {

// What no run of a pass on streams can beat: each rank's workers, busy with their kernels; the bytes that these bring
// from HBM; its busiest port; and the longest chain of tasks, each alone on the machine, along streams and events.
// Tasks that the latency does not wait for are left out. `dies`: where the ranks lie.
Bounds stream_bounds(const StreamPass& pass, const Hardware& hardware, std::span<const std::uint32_t> dies);

}  // namespace a3sim
