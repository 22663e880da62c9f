#pragma once

#include <string>

#include "models/blocks/block_builder.h"

// The vector operators of blocks. Each is one kernel if the layout fuses it, otherwise the kernels of a
// framework that computes expression by expression in fp32.
namespace a3sim {

// Returns the cost per element of a fused RMSNorm over rows of this width.
ElementwiseKernel norm_pass(double width);
// Adds an RMSNorm of this many rows.
void add_norm(BlockBuilder& builder, const std::string& name, double rows, double width);
// Adds the sum of the hidden state and the previous block's result, and the RMSNorm of the sum.
void add_residual_norm(BlockBuilder& builder, const std::string& name, double rows, double width);
// Adds the rotation of this many elements of queries and keys.
void add_rope(BlockBuilder& builder, double elements);
// Adds silu(gate) * up, or the square of ReLU without a gate, with this many elements in the result.
void add_activation(BlockBuilder& builder, const std::string& name, double elements);
// Adds the choice of the router: scores of all experts for each token, top-k, weights.
void add_router_choice(BlockBuilder& builder, double tokens);
// Adds the cross entropy over this die's logits.
void add_loss(BlockBuilder& builder, double logits);

}  // namespace a3sim
