#pragma once

#include "models/blocks/block_builder.h"

namespace a3sim {

// Adds a layer's attention: residual and norm, projections with several heads a group (GQA, MHA) or through
// narrow vectors (MLA), RoPE, attention, and the projection back.
void add_attention(BlockBuilder& builder);
// Returns the key that add_attention() needs and the model lacks; empty if there is none.
std::string_view missing_for_attention(const ModelShape& model);

}  // namespace a3sim
