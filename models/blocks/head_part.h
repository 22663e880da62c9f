#pragma once

#include "models/blocks/block_builder.h"

namespace a3sim {

// Adds the norm behind the last layer, the product with the vocabulary, and the loss. Without weights of its own where
// `owns_weights` is false: they are another block's.
void add_head(BlockBuilder& builder, bool owns_weights);

}  // namespace a3sim
