#pragma once

#include <cstdint>

#include "models/blocks/block_builder.h"

namespace a3sim {

// The keys that a layer's tokens meet: all before their own, or the last ones of them (attention.window).
enum class Reach : std::uint8_t { kAll, kWindow };

// Adds a layer's attention: residual and norm, projections with several heads a group (GQA, MHA) or through
// narrow vectors (MLA), RoPE, attention, and the projection back.
void add_attention(BlockBuilder& builder, Reach reach = Reach::kAll);
// Returns the key that add_attention() needs and the model lacks; empty if there is none.
std::string_view missing_for_attention(const ModelShape& model, Reach reach = Reach::kAll);

}  // namespace a3sim
