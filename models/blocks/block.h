#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/blocks/fp8_recipe.h"
#include "models/blocks/model_shape.h"
#include "models/operators/work.h"
#include "sim/core/enum_names.h"
#include "sim/core/registry.h"

// A block is a layer of a model, or its embedding or head, as the kernels that one die launches for it.
// sim/device/block_cost.h gives their times.
namespace a3sim {

enum class WorkClass : std::uint8_t { kGroupedProducts, kProducts, kAttention, kVector, kCollective };
constexpr auto names_of(WorkClass) {
  return std::to_array<std::string_view>(
      {"grouped products", "products", "attention", "vector", "collective"});
}

// The parts of a block that move as a whole when blocks of two micro-batches overlap.
enum class BlockPart : std::uint8_t {
  kAttention,  // norms, attention, router; all of an embedding or a head
  kExperts,    // the feed-forward network; of a MoE block this is `Block::experts`
  kShared      // shared experts, which run beside dispatch or combine
};
constexpr auto names_of(BlockPart) {
  return std::to_array<std::string_view>({"attention", "experts", "shared"});
}

// Operators of the forward pass that the backward pass computes again instead of keeping their results.
enum class RecomputeKind : std::uint8_t { kNorm, kActivation, kAttentionUp, kMlp, kMoe };
constexpr auto names_of(RecomputeKind) {
  return std::to_array<std::string_view>({"norm", "activation", "attention_up", "mlp", "moe"});
}
class RecomputeKinds {
 public:
  constexpr RecomputeKinds() = default;
  constexpr RecomputeKinds(std::initializer_list<RecomputeKind> kinds) {
    for (const RecomputeKind kind : kinds) bits_ = static_cast<std::uint8_t>(bits_ | bit(kind));
  }
  constexpr bool has(RecomputeKind kind) const { return (bits_ & bit(kind)) != 0; }
  constexpr bool meets(RecomputeKinds other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr void add(RecomputeKinds others) { bits_ = static_cast<std::uint8_t>(bits_ | others.bits_); }

 private:
  static constexpr std::uint8_t bit(RecomputeKind kind) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
  }
  std::uint8_t bits_ = 0;
};

// Operators that can be one kernel; otherwise each elementwise step is a kernel.
enum class Fusion : std::uint8_t { kNorm, kResidualNorm, kRope, kSwiglu, kRouter, kLoss, kAccumulate };
constexpr auto names_of(Fusion) {
  return std::to_array<std::string_view>(
      {"norm", "residual_norm", "rope", "swiglu", "router", "loss", "accumulate"});
}

// A product m x k by k x n.
struct BlockProduct {
  std::uint64_t m = 0, n = 0, k = 0;
  DataType dtype = DataType::kBf16;
  bool transposed = false;   // weight gradients: the left operand is stored as k x m
  bool accumulates = false;  // the result is added to an fp32 sum
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

// Returns the pairs of tokens that are of one document.
double pairs_within(std::span<const std::uint64_t> documents);

// Attention of several samples, with the heads that a die holds.
struct BlockAttention {
  std::uint64_t samples = 1;
  std::uint32_t heads = 0, kv_heads = 0;
  std::uint32_t d_qk = 0, d_v = 0;
  std::uint64_t queries = 0, keys = 0;  // of a sample: the queries on this die, and the keys that they meet
  bool causal = true;  // queries meet half of the keys; dies of a CP group share the work evenly
  bool backward = false;
  std::uint32_t cp = 1;  // pieces in which keys arrive; each is a kernel
  DataType dtype = DataType::kBf16;
  // Tokens of each document of a sample, which sum to `keys`; queries meet the keys of their own. Empty: one document.
  std::vector<std::uint64_t> documents{};
  std::uint64_t window = 0;  // the most keys, before its own and with it, that a query meets; 0: all
  // Returns the keys that a query of causal attention meets on average.
  double keys_met() const;
  // Returns the FLOPs of the products that the mask leaves: two products forward, five backward.
  double flops() const;
};

// Elementwise work and reductions: bytes and instructions of the whole die.
struct BlockVector {
  double read = 0, written = 0;
  VectorOps ops{};
  // Number of rows, if they are reduced one by one; 0: the order of elements does not matter.
  std::uint64_t rows = 0;
  std::uint32_t steps = 0;  // instructions on a row that each wait for the one before
};

// An exchange among the dies of a TP or a CP group.
struct BlockCollective {
  enum class Kind : std::uint8_t { kAllGather, kReduceScatter, kAllReduce, kRing, kAllToAll };
  enum class Group : std::uint8_t { kTensor, kContext };
  Kind kind{};
  Group group{};
  std::uint32_t ranks = 1;
  // Of the whole tensor; for a ring: what each die has and all others see; for all-to-all: what each die has.
  double bytes = 0;
  // Returns the bytes that leave (and that enter) each die.
  double sent() const;
};

struct BlockKernel {
  std::string name;
  WorkClass work_class{};
  BlockPart part{};
  std::variant<BlockProduct, BlockAttention, BlockVector, BlockCollective> work;
  RecomputeKinds recompute{};  // forward kernels: the kinds of recompute that run it again
  std::uint32_t launches = 1;  // number of kernels that the host starts for it
  bool own_call = true;        // by an operation of the framework; else that of a neighbour starts it too
};

// The place of Dispatch to Combine in a MoE block: what a die brings to its expert-parallel group.
struct BlockExperts {
  std::uint64_t tokens = 0;  // on this die
  std::uint32_t hidden = 0, intermediate = 0;
  std::uint32_t experts = 0, top_k = 0;  // of the layer
  DataType dtype = DataType::kBf16;
  bool gated = true;
  // Returns how many columns the first product has for each of the second's.
  std::uint32_t first_columns() const { return gated ? 2 : 1; }
};

// A tensor that the backward pass needs.
struct KeptActivation {
  std::string name;
  double bytes = 0;
  RecomputeKinds dropped{};  // it is not kept if one of these is computed again
  bool is_input = false;  // it is the block's input, which is kept even if the whole block is computed again
};

struct Block {
  // In launch order. Parts follow one another as attention, then experts (with shared experts beside them);
  // backward the other way round. Activation gradients do not depend on weight gradients.
  std::vector<BlockKernel> forward, activation_gradient, weight_gradient;
  std::optional<BlockExperts> experts{};

  double parameters = 0;         // on this die, without routed experts
  double expert_parameters = 0;  // of all routed experts, which the expert-parallel group shares
  double fp8_parameters = 0;     // those of `parameters` that are multiplied in eight bits
  std::vector<KeptActivation> activations;
  double model_flops = 0;  // per token, forward and backward without recompute, of all dies together

  // Returns the bytes of activations that a die keeps for the backward pass.
  double kept(RecomputeKinds recomputed) const;
  // Returns the same if the whole block is computed again.
  double kept_input() const;
};

// The distribution of a block over dies, and the fusion of its kernels.
struct BlockLayout {
  std::uint64_t sequence = 4096;  // tokens of a sample, over all dies of its CP group
  std::uint64_t micro_batch = 1;  // samples
  std::uint32_t tp = 1, cp = 1;
  std::uint64_t documents = 1;    // equal parts of a sample, whose tokens meet only those of their own part
  bool ulysses = false;           // a CP group splits attention by heads, instead of sending keys round
  bool sequence_parallel = true;  // TP splits by tokens what it does not split by heads or columns
  std::vector<Fusion> fuse = {Fusion::kNorm,   Fusion::kRope, Fusion::kSwiglu,
                              Fusion::kRouter, Fusion::kLoss, Fusion::kAccumulate};
  std::vector<std::uint64_t> lengths{};  // tokens of each document of a sample, if they differ; else empty
  double fill = 1;            // rows that experts compute, over those that come to them when balanced
  std::uint32_t etp = 1;      // dies that share the products of each routed expert
  Fp8Recipe fp8{};            // layers' products in eight bits, but not routers', attention's and heads'
  bool fp8_dispatch = false;  // rows go to experts in eight bits, and so do the gradients of their sums

  bool fuses(Fusion fusion) const;
  // Return the tokens of a TP group, and of one of its dies, rounded up.
  std::uint64_t tokens() const { return (micro_batch * sequence + cp - 1) / cp; }
  std::uint64_t own_tokens() const { return sequence_parallel ? (tokens() + tp - 1) / tp : tokens(); }
};

// A kind of block. One file each, registered by the name that a model's `layers` uses.
struct BlockKind {
  static constexpr std::string_view kKind = "block";
  virtual ~BlockKind() = default;
  // Returns the block. The model must have what the kind needs (missing() is empty).
  virtual Block block(const ModelShape& model, const BlockLayout& layout) const = 0;
  // Returns the key that this kind needs and the model lacks; empty if there is none.
  virtual std::string_view missing(const ModelShape& model) const = 0;
  // True if it counts as a layer for stages and recompute.
  virtual bool is_layer() const { return true; }
};

using BlockKinds = Registry<BlockKind>;

// Returns the model FLOPs per token of all the model's blocks: 6 for each weight that a token meets, and
// attention's.
double model_flops(const ModelShape& model, const BlockLayout& layout);

}  // namespace a3sim
