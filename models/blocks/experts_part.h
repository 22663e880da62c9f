#pragma once

#include "models/blocks/block_builder.h"

namespace a3sim {

// Adds a MoE layer after its norm: the router, the place of routed experts, and shared experts.
void add_experts(BlockBuilder& builder);
// Returns the key that add_experts() needs and the model lacks; empty if there is none.
std::string_view missing_for_experts(const ModelShape& model);

}  // namespace a3sim
