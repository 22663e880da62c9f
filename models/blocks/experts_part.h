#pragma once

#include "models/blocks/block_builder.h"

namespace a3sim {

// Adds a MoE layer behind its norm: the router, where routed experts go, shared experts.
void add_experts(BlockBuilder& builder);
// What add_experts() needs of the model and is not there; empty: nothing.
std::string_view missing_for_experts(const ModelShape& model);

}  // namespace a3sim
