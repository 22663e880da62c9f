#pragma once

#include <string>

#include "models/blocks/block_builder.h"

namespace a3sim {

// Adds the residual and the norm before a layer's feed-forward network or router.
void add_feed_forward_norm(BlockBuilder& builder);
// Adds a feed-forward network that all tokens go through, gate and up in one product, SwiGLU, down: of a dense layer, or
// the shared experts together. `width`: of the whole TP group. The part and the recompute kinds are the builder's.
void add_feed_forward(BlockBuilder& builder, const std::string& name, std::uint32_t width);

}  // namespace a3sim
