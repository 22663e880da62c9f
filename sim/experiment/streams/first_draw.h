#pragma once

#include "sim/experiment/streams/micro_batches.h"

namespace a3sim {

// Draws what precedes the first micro-batch of the first seed, and that one. It is the first of draw_batches(), which draws all.
Batches draw_first_batch(const Experiment& experiment);

}  // namespace a3sim
