#pragma once

#include "models/blocks/block_builder.h"

namespace a3sim {

// Adds a layer's attention: residual and norm, projections with several heads a group (GQA, MHA) or by narrow vectors (MLA),
// RoPE, attention, the projection back.
void add_attention(BlockBuilder& builder);
// What add_attention() needs of the model and is not there; empty: nothing.
std::string_view missing_for_attention(const ModelShape& model);

}  // namespace a3sim
