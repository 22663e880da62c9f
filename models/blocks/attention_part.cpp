#include "models/blocks/attention_part.h"

#include "models/blocks/vector_operators.h"

namespace a3sim {
namespace {

using enum RecomputeKind;

// The heads that a die of a TP group holds: its share, and at least one head of keys and values.
struct DieHeads {
  std::uint32_t heads, kv_heads;
};

DieHeads heads_of(const BlockBuilder& builder) {
  const auto part = [&](std::uint32_t all) {
    return std::max(1U, (all + builder.layout().tp - 1) / builder.layout().tp);
  };
  return {part(builder.model().attention.heads), part(builder.model().attention.kv_heads)};
}

// Adds one product that computes all heads' queries, keys and values from the hidden state.
void add_head_projections(BlockBuilder& builder, const DieHeads& die) {
  const ModelShape::Attention& shape = builder.model().attention;
  const double tokens = builder.tokens();
  const std::uint32_t rotated = (die.heads + die.kv_heads) * shape.d_qk, values = die.kv_heads * shape.d_v;
  builder.gather("qkv", builder.model().hidden);
  builder.product("qkv", builder.layout().tokens(), builder.model().hidden, rotated + values);
  if (shape.qk_norm) {
    add_norm(builder, "qk_norm", tokens * (die.heads + die.kv_heads), shape.d_qk);
    builder.parameters(2.0 * shape.d_qk);
    builder.keep("queries and keys before their norm", tokens * rotated * builder.element());
  }
  add_rope(builder, tokens * rotated);
  builder.keep("queries, keys, values", tokens * (rotated + values) * builder.element());
}

// Adds the projections that compute queries from one narrow vector, and keys and values from another.
void add_latent_projections(BlockBuilder& builder, const DieHeads& die) {
  const ModelShape::Attention& shape = builder.model().attention;
  const ModelShape::Attention::Latent& latent = *shape.latent;
  const BlockLayout& layout = builder.layout();
  const std::uint32_t hidden = builder.model().hidden, kept_keys = shape.d_qk - latent.rotated;
  const std::uint32_t query_width = die.heads * shape.d_qk, pair_width = die.heads * (kept_keys + shape.d_v);
  const double own = builder.own_tokens(), tokens = builder.tokens(), element = builder.element();
  if (latent.queries > 0) {
    builder.product("q_down", layout.own_tokens(), hidden, latent.queries);
    builder.keep("q_down", own * latent.queries * element);
  }
  builder.product("kv_down", layout.own_tokens(), hidden, latent.keys + latent.rotated);
  builder.keep("kv_down", own * (latent.keys + latent.rotated) * element);
  builder.at(BlockPart::kAttention, {kAttentionUp});
  if (latent.queries > 0) {
    add_norm(builder, "q_norm", own, latent.queries);
    builder.parameters(latent.queries);
    builder.keep("q_norm", own * latent.queries * builder.operand(), {kNorm});
    builder.gather("q_up", latent.queries);
    builder.product("q_up", layout.tokens(), latent.queries, query_width);
  } else {
    builder.gather("q", hidden);
    builder.product("q", layout.tokens(), hidden, query_width);
  }
  add_norm(builder, "kv_norm", own, latent.keys);
  builder.parameters(latent.keys);
  builder.keep("kv_norm", own * latent.keys * builder.operand(), {kNorm});
  builder.gather("kv_up", latent.keys + latent.rotated, latent.rotated);
  builder.product("kv_up", layout.tokens(), latent.keys, pair_width);
  add_rope(builder, tokens * (die.heads + 1) * latent.rotated);
  // Each head's key receives the common rotated part, and its values become rows of their own.
  const ElementwiseKernel join{2, 2, 0, 0, 0};
  builder.vector("join_keys", tokens * die.heads * (shape.d_qk + shape.d_v), {&join, 1}, {&join, 1});
  builder.keep("queries, keys, values", tokens * die.heads * (2 * shape.d_qk + shape.d_v) * element);
  builder.at(BlockPart::kAttention);
}

// Adds attention, with what dies of a CP group send one another before and after it.
void add_attention_kernel(BlockBuilder& builder, const DieHeads& die, std::uint32_t window) {
  const ModelShape::Attention& shape = builder.model().attention;
  const BlockLayout& layout = builder.layout();
  const double tokens = builder.tokens(), element = builder.element();
  const double pairs = tokens * die.kv_heads * (shape.d_qk + shape.d_v) * element;
  BlockAttention attention{layout.micro_batch * layout.documents,
                           die.heads,
                           die.kv_heads,
                           shape.d_qk,
                           shape.d_v,
                           layout.tokens() / layout.micro_batch / layout.documents,
                           layout.sequence / layout.documents,
                           true,
                           false,
                           layout.cp,
                           builder.model().dtype,
                           layout.lengths,
                           window};
  if (layout.cp == 1 || !layout.ulysses) {
    builder.ring("keys_and_values", pairs);
    builder.attention(attention);
    return;
  }
  attention.heads = std::max(1U, die.heads / layout.cp);
  attention.kv_heads = std::max(1U, die.kv_heads / layout.cp);
  attention.queries = attention.keys;
  attention.cp = 1;
  builder.swap_heads("tokens_for_heads", tokens * die.heads * shape.d_qk * element + pairs);
  builder.attention(attention);
  builder.swap_heads("heads_for_tokens", tokens * die.heads * shape.d_v * element);
}

// Returns the number of weights in a layer's projections, of all dies of a TP group together.
double projection_weights(const ModelShape& model) {
  const ModelShape::Attention& shape = model.attention;
  const double hidden = model.hidden, heads = shape.heads, output = heads * shape.d_v * hidden;
  if (!shape.latent)
    return hidden * (heads * shape.d_qk + 1.0 * shape.kv_heads * (shape.d_qk + shape.d_v)) + output;
  const auto& [queries, keys, rotated] = *shape.latent;
  const double to_queries =
      queries > 0 ? queries * (hidden + heads * shape.d_qk) : hidden * heads * shape.d_qk;
  return to_queries + hidden * (keys + rotated) + keys * heads * (shape.d_qk - rotated + shape.d_v) + output;
}

}  // namespace

void add_attention(BlockBuilder& builder, Reach reach) {
  const ModelShape::Attention& shape = builder.model().attention;
  const BlockLayout& layout = builder.layout();
  const DieHeads die = heads_of(builder);
  const double tokens = builder.tokens(), element = builder.element();
  const double row = builder.own_tokens() * builder.model().hidden;
  builder.at(BlockPart::kAttention);
  builder.keep_input("input", row * element);
  add_residual_norm(builder, "attention.norm", builder.own_tokens(), builder.model().hidden);
  builder.parameters(builder.model().hidden);
  builder.keep("attention.norm", row * builder.operand(), {kNorm});
  if (shape.latent)
    add_latent_projections(builder, die);
  else
    add_head_projections(builder, die);
  const std::uint32_t window = reach == Reach::kWindow ? shape.window : 0;
  add_attention_kernel(builder, die, window);
  builder.keep("attention",
               tokens * die.heads * (shape.d_v * element + 4));  // 4: the sum of its exponentials
  if (builder.operand() < element)
    builder.keep("attention in eight bits", tokens * die.heads * shape.d_v * builder.operand());
  builder.product("attention.output", layout.tokens(), std::uint64_t{die.heads} * shape.d_v,
                  builder.model().hidden);
  builder.scatter("attention.output", builder.model().hidden);
  // Causal attention forward, and twice that backward.
  builder.model_flops(6.0 * projection_weights(builder.model()));
  BlockAttention document;  // tokens that attend to one another
  document.keys = layout.lengths.empty() ? layout.sequence / layout.documents : layout.sequence;
  document.documents = layout.lengths;
  document.window = window;
  builder.model_flops(6.0 * shape.heads * (shape.d_qk + shape.d_v) * document.keys_met());
}

std::string_view missing_for_attention(const ModelShape& model, Reach reach) {
  if (model.attention.heads == 0) return "attention";
  return reach == Reach::kWindow && model.attention.window == 0 ? "attention.window" : "";
}

}  // namespace a3sim
