#pragma once

#include "models/blocks/model_shape.h"
#include "models/config/model_config.h"

namespace a3sim {

// Reads of the `model` mapping what all of a model's layers are made of; `tokens` is left to the workload. `layers` lists
// the kinds of blocks in order: `embedding`, `3 dense`, `24 (dense moe)`. Notes an error for a kind that is not known, and
// for one that needs what the model does not say.
ModelShape read_model_shape(const Config& config, const Parallel& parallel);

// The same for a reader of the mapping that needs its MoE layer alone: whatever stands there is checked, nothing is
// missed, and the reader finishes the mapping.
void check_model_shape(const Config& config, const Parallel& parallel);

}  // namespace a3sim
