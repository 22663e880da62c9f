#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/blocks/block.h"
#include "sim/core/config/config.h"
#include "sim/core/enum_names.h"
#include "sim/core/units.h"

namespace a3sim {

struct Hardware;

// Says which expert-parallel exchanges hide behind computation.
enum class EpOverlap : std::uint8_t { kNone, kWithinOne, kTwoMicroBatches };
constexpr auto names_of(EpOverlap) {
  return std::to_array<std::string_view>({"none", "within_one", "two_micro_batches"});
}

// Says which data-parallel exchanges run beside the passes.
enum class DpOverlap : std::uint8_t { kNone, kReduce, kGather, kBoth };
constexpr auto names_of(DpOverlap) {
  return std::to_array<std::string_view>({"none", "reduce", "gather", "both"});
}

// Says what brings rows to experts in a training step.
enum class ExpertExchange : std::uint8_t {
  kTaskflow,  // the experiment's execution, which runs the MoE-FFN as a taskflow
  kStreams    // kernels that hold program.bulk.workers
};
constexpr auto names_of(ExpertExchange) { return std::to_array<std::string_view>({"taskflow", "streams"}); }

inline constexpr double kWeightBytes = 2;  // bytes of a weight as passes use it
inline constexpr double kMasterBytes = 4;  // bytes of the copy that the optimizer updates

// The options of training a whole model: the keys tp, pp, vpp, cp, dp of the block `parallel`, and the block
// `step`.
struct StepOptions {
  std::uint32_t tp = 1;   // dies that share each product
  std::uint32_t pp = 1;   // stages of the pipeline
  std::uint32_t vpp = 1;  // chunks of layers per stage
  std::uint32_t cp = 1;   // dies that share each sample's tokens
  std::uint32_t dp = 1;   // groups that train on other samples
  std::uint32_t ep = 1;   // groups of `etp` dies of one stage that share the experts
  std::uint32_t etp = 1;  // dies that share the products of each expert

  std::uint64_t sequence = 4096;   // tokens of a sample
  std::uint64_t micro_batch = 1;   // samples that a DP rank takes at a time
  std::uint64_t global_batch = 1;  // samples of a step, over all DP ranks
  std::uint32_t copies = 1;        // of the model that the schedule needs
  std::string schedule = "none";   // name of the schedule (sim/experiment/step/schedule.h)
  bool split_weights = false;      // computes weight gradients apart from activation gradients
  std::string split;  // how layers are divided into chunks: `layers`, `slots`, or a layout string
  EpOverlap overlap{};
  // With two micro-batches: experts' weight gradients run beside the exchange that follows, not before it.
  bool weights_beside = true;
  // With two micro-batches: factor by which an exchange takes longer beside the other one's kernels.
  double exchange_stretch = 1;
  bool recompute_all = false;  // computes each layer again from its input
  RecomputeKinds recompute;    // if not `recompute_all`, computes only these again
  double offload = 0;          // part of what is kept for backward passes that waits in the host's memory
  std::uint32_t recompute_layers =
      0;                        // with `recompute_all`: the first layers of a chunk alone; 0: all of them
  std::uint64_t documents = 1;  // equal parts that a sample is packed of, with attention inside each
  std::vector<std::uint64_t> document_lengths;  // tokens of each, if they differ; else empty
  bool ulysses = false;                         // CP splits attention by heads
  bool sequence_parallel = true;
  bool tp_pipelined = false;  // runs products beside the TP exchanges before and after them
  std::vector<Fusion> fuse;
  DpOverlap dp_overlap{};
  std::uint32_t gradient_bytes = 4;  // bytes of a gradient as a die keeps it
  std::uint32_t reduce_bytes = 4;    // bytes of a gradient on its way when DP ranks add them up
  bool fsdp = false;                 // spreads weights over DP ranks, and gathers them block by block
  bool zero2 = false;                // spreads gradients over DP ranks, and adds them up per micro-batch
  std::uint32_t replicas = 1;        // groups of DP ranks that each hold all that is spread (HSDP)
  double bucket = 40e6;  // least parameters of a bucket, which gathers and reductions take at once
  ExpertExchange exchange{};
  // Names of presets (configs/presets) that the MoE-FFN runs under, instead of the experiment's own execution. The
  // second is for the backward pass; empty: the same preset, or none.
  std::string experts, experts_backward;
  // The most rows that an expert takes from each rank, over their mean; 0: all. The others are dropped.
  double expert_capacity = 0;
  bool pad_experts = false;   // experts have as many rows always
  Fp8Recipe fp8{};            // products of layers in eight bits, between weights and results in 16
  bool fp8_dispatch = false;  // rows go to experts in eight bits, and so do the gradients of their sums
  // Routings that are simulated, of kinds that draw; each layer and micro-batch has one of them.
  std::uint32_t draws = 8;

  struct Optimizer {
    bool sharded = true;            // spreads states and updates over DP ranks
    std::uint32_t state_bytes = 8;  // bytes of both moments of a parameter
    bool swapped = false;           // keeps states in the host's memory
    bool reuses_weights = false;    // the master copy's upper half is the weights that passes use
    std::uint32_t slices = 16;      // number of slices in which states are loaded and stored
  } optimizer;

  Duration launch{};  // time of the host per kernel; 0: the host is always ahead
  // Time of the small kernels that a framework runs with each launch that is counted, and the most that it may
  // be; empty: not known.
  Duration unlisted{};
  std::string unlisted_most;
  std::uint32_t permute_calls =
      0;                       // further operations that put rows in order once, if that is no single kernel
  double captured = 0;         // part of the launches, except those of experts, that graphs save
  bool reads_counts = false;   // the host waits for the router before it launches a forward dispatch
  BytesPerSecond host_link{};  // rate of a die's link to its host, in each direction; 0: not stated
  Bytes capacity{};            // memory of a die
  bool over_capacity = false;  // runs even if the memory does not suffice
  std::vector<std::string> not_modelled;  // what a launch script asks for besides, and may matter

  std::uint32_t dies() const { return tp * pp * cp * dp; }
  std::uint32_t dies_a_stage() const { return tp * cp * dp; }
  std::uint32_t micro_batches() const {
    return static_cast<std::uint32_t>(global_batch / (micro_batch * dp));
  }
  // Returns how often a stage has each part of an expert.
  std::uint32_t expert_copies() const { return std::max(1U, dies_a_stage() / (ep * etp)); }
  // Return the dies over which parameters are spread that all dies of a stage have, and those of experts.
  std::uint32_t shards() const { return std::max(1U, dp * cp / replicas); }
  std::uint32_t expert_shards() const { return std::max(1U, expert_copies() / replicas); }
  // Returns the parameters that a die updates of so many on it.
  double updated(double dense, double expert) const {
    return spreads_states() ? (dense / shards() + expert / expert_shards()) / copies : dense + expert;
  }
  bool spreads_states() const { return fsdp || zero2 || optimizer.sharded; }
  bool spreads_gradients() const { return fsdp || zero2; }
  // True if backward passes compute the MoE-FFN again.
  bool experts_again() const { return recompute_all || recompute.has(RecomputeKind::kMoe); }
  // Returns the bytes of the copies of a weight as products in eight bits read it, one for each direction of sums.
  double fp8_copy_bytes() const { return 2 * element_bytes(operand_type(fp8)); }
  double tokens() const { return static_cast<double>(global_batch) * static_cast<double>(sequence); }
  BlockLayout block_layout() const;
};

// Reads the two blocks. Leaves the other keys of `parallel` to read_parallel(). Notes sizes that do not
// divide, with sizes that would.
StepOptions read_step_options(const Config& root, const Hardware& hardware);

}  // namespace a3sim
