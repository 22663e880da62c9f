#pragma once

#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads the form of a MoE-FFN's graph from the block `experiment`: `batches`, `columns`, `dispatch`. Must be
// called after the model and the run options have been read. Micro-batches share the rank's `tokens`. Notes
// what is wrong.
FfnForm read_ffn_form(const Config& root, const Config& block, const Experiment& experiment,
                      std::uint64_t tokens);

}  // namespace a3sim
