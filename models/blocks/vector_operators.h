#pragma once

#include <string>

#include "models/blocks/block_builder.h"

// The vector operators of blocks: one kernel each where the layout fuses them, else those of a framework that computes
// expression by expression in fp32.
namespace a3sim {

// RMSNorm of so many elements.
void add_norm(BlockBuilder& builder, const std::string& name, double elements);
// Adds what the block before brings to the hidden state, and normalises the sum.
void add_residual_norm(BlockBuilder& builder, const std::string& name, double elements);
// Rotates so many elements of queries and keys.
void add_rope(BlockBuilder& builder, double elements);
// silu(gate) * up: so many elements of the result.
void add_swiglu(BlockBuilder& builder, const std::string& name, double elements);
// Scores of so many experts a token, top-k, weights.
void add_router_choice(BlockBuilder& builder, double tokens);
// Cross entropy over this die's logits.
void add_loss(BlockBuilder& builder, double logits);

}  // namespace a3sim
