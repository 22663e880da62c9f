#pragma once

#include "models/blocks/block_builder.h"

namespace a3sim {

// Adds the norm after the last layer, the product with the vocabulary, and the loss. `owns_weights` is false
// if the weights belong to another block.
void add_head(BlockBuilder& builder, bool owns_weights);

}  // namespace a3sim
