#pragma once

#include <string>

#include "models/blocks/block_builder.h"

// The vector operators of blocks: one kernel each where the layout fuses them, else those of a framework that computes
// expression by expression in fp32.
namespace a3sim {

// What an element of rows so wide costs an RMSNorm that is one kernel.
VectorPass norm_pass(double width);
// RMSNorm of so many rows.
void add_norm(BlockBuilder& builder, const std::string& name, double rows, double width);
// Adds what the block before brings to the hidden state, and normalises the sum.
void add_residual_norm(BlockBuilder& builder, const std::string& name, double rows, double width);
// Rotates so many elements of queries and keys.
void add_rope(BlockBuilder& builder, double elements);
// silu(gate) * up: so many elements of the result.
void add_swiglu(BlockBuilder& builder, const std::string& name, double elements);
// Scores of so many experts a token, top-k, weights.
void add_router_choice(BlockBuilder& builder, double tokens);
// Cross entropy over this die's logits.
void add_loss(BlockBuilder& builder, double logits);

}  // namespace a3sim
