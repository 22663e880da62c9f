#pragma once

#include <span>

#include "sim/experiment/run/bounds.h"
#include "sim/experiment/streams/micro_batches.h"

namespace a3sim {

// Returns the bounds of a pass on streams: each rank's workers, busy with their kernels; the bytes that these
// bring from HBM; its busiest port; and the longest chain of tasks along streams and events, each task alone
// on the machine. Leaves out tasks that the latency does not wait for. `ranks` says where they are, and what their HBM gives.
Bounds stream_bounds(const StreamPass& pass, const Hardware& hardware, std::span<const RankOptions> ranks);

}  // namespace a3sim
