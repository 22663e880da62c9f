#pragma once

#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads from the block `experiment` in which form a MoE-FFN's graph is laid out: `batches`, `columns`, `dispatch`. The model
// and how schedules run have been read; micro-batches share the rank's `tokens`. Notes what is wrong.
FfnForm read_ffn_form(const Config& root, const Config& block, const Experiment& experiment,
                      std::uint64_t tokens);

}  // namespace a3sim
