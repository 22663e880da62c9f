#pragma once

#include <string_view>

#include "models/blocks/model_shape.h"
#include "models/config/model_config.h"

namespace a3sim {

// Reads the sizes of all of a model's layers from the `model` mapping; `tokens` is left to the workload.
// `layers` lists the kinds of blocks in order: `embedding`, `3 dense`, `24 (dense moe)`. Notes an error for
// an unknown kind, and for one that needs a key that the model lacks.
ModelShape read_model_shape(const Config& config, const Parallel& parallel);

// Returns whether experts and feed-forward networks have a gate (SwiGLU): they do unless `gated` is false.
bool has_gate(const Config& config);
// Notes an error for experts without a gate: these `kernels` compute SwiGLU.
void refuse_ungated(const Config& config, std::string_view kernels);

// Checks these keys for a reader that needs only the MoE layer. Keys may be absent, and the caller finishes
// the mapping.
void check_model_shape(const Config& config, const Parallel& parallel);

}  // namespace a3sim
