#pragma once

#include <string>

#include "models/blocks/block_builder.h"

namespace a3sim {

// Adds the residual and the norm before a layer's feed-forward network, or before its router (`routed`), which reads the
// model's type.
void add_feed_forward_norm(BlockBuilder& builder, bool routed);
// Adds a feed-forward network that all tokens pass (of a dense layer, or all shared experts together): gate
// and up in one product, SwiGLU, down. `width` is that of the whole TP group. Part and recompute kinds are
// the builder's.
void add_feed_forward(BlockBuilder& builder, const std::string& name, std::uint32_t width);

}  // namespace a3sim
