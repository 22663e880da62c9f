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

#include "models/blocks/model_shape.h"
#include "models/operators/work.h"
#include "sim/core/enum_names.h"
#include "sim/core/registry.h"

// A block is a layer of a model, or its embedding or head, as the kernels that one die launches for it. Times
// are the matter of sim/device/block_cost.h.
namespace a3sim {

enum class WorkClass : std::uint8_t { kGroupedProducts, kProducts, kAttention, kVector, kCollective };
constexpr auto names_of(WorkClass) {
  return std::to_array<std::string_view>(
      {"grouped products", "products", "attention", "vector", "collective"});
}

// What may be moved as a whole when blocks of two micro-batches overlap.
enum class BlockPart : std::uint8_t {
  kAttention,  // norms, attention, router; all of an embedding or a head
  kExperts,    // the feed-forward network; of a MoE block this is `Block::experts`
  kShared      // shared experts, beside dispatch or combine
};
constexpr auto names_of(BlockPart) {
  return std::to_array<std::string_view>({"attention", "experts", "shared"});
}

// What of the forward pass is computed again in the backward pass, instead of being kept.
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

// Operators that are one kernel; others are a kernel for each elementwise step.
enum class Fusion : std::uint8_t { kNorm, kResidualNorm, kRope, kSwiglu, kRouter, kLoss, kAccumulate };
constexpr auto names_of(Fusion) {
  return std::to_array<std::string_view>(
      {"norm", "residual_norm", "rope", "swiglu", "router", "loss", "accumulate"});
}

// A product m x k by k x n.
struct BlockProduct {
  std::uint64_t m = 0, n = 0, k = 0;
  DataType dtype = DataType::kBf16;
  bool transposed = false;   // of weight gradients: the left operand is stored k x m
  bool accumulates = false;  // the result is added to one in fp32
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

// Attention of `samples`, with the heads that a die holds.
struct BlockAttention {
  std::uint64_t samples = 1;
  std::uint32_t heads = 0, kv_heads = 0;
  std::uint32_t d_qk = 0, d_v = 0;
  std::uint64_t queries = 0, keys = 0;  // of a sample: those on this die, and those that they meet
  bool causal = true;                   // queries meet half of the keys: dies of a CP group share evenly
  bool backward = false;
  std::uint32_t cp = 1;  // pieces in which keys come, each a kernel
  DataType dtype = DataType::kBf16;
  // Of the products that the mask leaves, forward two, backward five.
  double flops() const;
};

// Elementwise work and reductions: bytes and instructions of the whole die.
struct BlockVector {
  double read = 0, written = 0;
  VectorOps ops{};
  std::uint64_t rows = 0;   // that are reduced one by one; 0: elements in no order
  std::uint32_t steps = 0;  // instructions on a row that wait for one another
};

// An exchange among the dies of a TP or a CP group.
struct BlockCollective {
  enum class Kind : std::uint8_t { kAllGather, kReduceScatter, kAllReduce, kRing };
  enum class Group : std::uint8_t { kTensor, kContext };
  Kind kind{};
  Group group{};
  std::uint32_t ranks = 1;
  double bytes = 0;  // of the whole tensor; of a ring: of what each die has and all others see
  // Bytes that leave each die (and as many arrive) in a ring of its group.
  double sent() const;
};

struct BlockKernel {
  std::string name;
  WorkClass work_class{};
  BlockPart part{};
  std::variant<BlockProduct, BlockAttention, BlockVector, BlockCollective> work;
  RecomputeKinds recompute{};  // forward: the kinds of recompute that run it again
  std::uint32_t launches = 1;  // kernels that the host starts for it
};

// Where Dispatch to Combine of a MoE block goes: what a die brings to its expert-parallel group.
struct BlockExperts {
  std::uint64_t tokens = 0;  // of this die
  std::uint32_t hidden = 0, intermediate = 0;
  std::uint32_t experts = 0, top_k = 0;  // of the layer
  DataType dtype = DataType::kBf16;
};

// A tensor that the backward pass needs.
struct KeptActivation {
  std::string name;
  double bytes = 0;
  RecomputeKinds dropped{};  // not kept if one of these is computed again
  bool is_input = false;     // of the block: kept even if all of the block is computed again
};

struct Block {
  // In order. Between parts: attention, then experts with shared experts beside them; backwards the reverse.
  // The activation gradients need none of the weight gradients.
  std::vector<BlockKernel> forward, activation_gradient, weight_gradient;
  std::optional<BlockExperts> experts{};

  double parameters = 0;         // on this die, but routed experts
  double expert_parameters = 0;  // of all routed experts: the expert-parallel group shares them
  std::vector<KeptActivation> activations;
  double model_flops = 0;  // a token, forward and backward without recompute, of all dies together

  // Bytes of activations that a die keeps for the backward pass.
  double kept(RecomputeKinds recomputed) const;
  // The same where the whole block is computed again.
  double kept_input() const;
};

// How a block is spread over dies, and how it is written.
struct BlockLayout {
  std::uint64_t sequence = 4096;  // tokens of a sample, on all dies of its CP group together
  std::uint64_t micro_batch = 1;  // samples
  std::uint32_t tp = 1, cp = 1;
  bool sequence_parallel = true;  // what TP does not split by heads or columns, it splits by tokens
  std::vector<Fusion> fuse = {Fusion::kNorm,   Fusion::kRope, Fusion::kSwiglu,
                              Fusion::kRouter, Fusion::kLoss, Fusion::kAccumulate};

  bool fuses(Fusion fusion) const;
  // Tokens of a TP group, and of one of its dies; rounded up where they do not divide.
  std::uint64_t tokens() const { return (micro_batch * sequence + cp - 1) / cp; }
  std::uint64_t own_tokens() const { return sequence_parallel ? (tokens() + tp - 1) / tp : tokens(); }
};

// A kind of block: one file each, registered by the name that a model's `layers` uses.
struct BlockKind {
  static constexpr std::string_view kKind = "block";
  virtual ~BlockKind() = default;
  // The model has what the kind needs (`missing()` is empty).
  virtual Block block(const ModelShape& model, const BlockLayout& layout) const = 0;
  // Returns the key of the model that this kind needs and that is not there; empty: there is none.
  virtual std::string_view missing(const ModelShape& model) const = 0;
  // Whether it counts as a layer: what stages and recompute are about.
  virtual bool is_layer() const { return true; }
};

using BlockKinds = Registry<BlockKind>;

// Model FLOPs a token of all the model's blocks: 6 for each weight that a token meets, and attention's.
double model_flops(const ModelShape& model, const BlockLayout& layout);

}  // namespace a3sim
