#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/blocks/block.h"
#include "sim/core/config/config.h"
#include "sim/core/enum_names.h"
#include "sim/core/units.h"

namespace a3sim {

// What of the expert-parallel exchanges hides behind computation.
enum class EpOverlap : std::uint8_t { kNone, kWithinOne, kTwoMicroBatches };
constexpr auto names_of(EpOverlap) {
  return std::to_array<std::string_view>({"none", "within_one", "two_micro_batches"});
}

// What of the data-parallel exchanges runs beside the passes.
enum class DpOverlap : std::uint8_t { kNone, kReduce, kGather, kBoth };
constexpr auto names_of(DpOverlap) {
  return std::to_array<std::string_view>({"none", "reduce", "gather", "both"});
}

// Who brings rows to experts in a training step.
enum class ExpertExchange : std::uint8_t {
  kTaskflow,  // the experiment's execution: the MoE-FFN is run as taskflows are
  kStreams    // kernels that hold program.bulk.workers
};
constexpr auto names_of(ExpertExchange) { return std::to_array<std::string_view>({"taskflow", "streams"}); }

inline constexpr double kWeightBytes = 2;  // of a weight as passes use it
inline constexpr double kMasterBytes = 4;  // of the one that the optimizer updates

// How a whole model is trained: the keys tp, pp, vpp, cp, dp of the block `parallel`, and the block `step`.
struct StepOptions {
  std::uint32_t tp = 1;   // dies that share each product
  std::uint32_t pp = 1;   // stages of the pipeline
  std::uint32_t vpp = 1;  // chunks of layers a stage
  std::uint32_t cp = 1;   // dies that share each sample's tokens
  std::uint32_t dp = 1;   // groups that train on other samples
  std::uint32_t ep = 1;   // dies that share the experts, of one stage

  std::uint64_t sequence = 4096;   // tokens of a sample
  std::uint64_t micro_batch = 1;   // samples that a DP rank takes at a time
  std::uint64_t global_batch = 1;  // samples of the step, of all DP ranks
  std::string schedule = "none";   // sim/experiment/step/schedule.h
  bool split_weights = false;      // weight gradients apart from activation gradients
  std::string split;               // of layers into chunks: `layers`, `slots`, or a layout string
  EpOverlap overlap{};
  bool recompute_all = false;  // each layer from its input
  RecomputeKinds recompute;    // else these
  bool sequence_parallel = true;
  bool tp_pipelined = false;  // products run beside the TP exchanges before and behind them
  std::vector<Fusion> fuse;
  DpOverlap dp_overlap{};
  std::uint32_t gradient_bytes = 4;  // of a gradient, as DP ranks add them up
  bool fsdp = false;                 // weights are spread over DP ranks, and gathered block by block
  ExpertExchange exchange{};
  double busiest = 1;  // rows of the rank that the others wait for, over the mean; of kStreams

  struct Optimizer {
    bool sharded = true;            // states and updates are spread over DP ranks
    std::uint32_t state_bytes = 8;  // of both moments of a parameter
    bool swapped = false;           // states live in the host's memory
    std::uint32_t slices = 16;      // in which they come and go
  } optimizer;

  Duration launch{};           // of the host, a kernel; 0: the host is always ahead
  double captured = 0;         // part of launches, but those of experts, that graphs save
  bool reads_counts = false;   // the host waits for counts of rows before it launches experts
  BytesPerSecond host_link{};  // of a die, either way
  Bytes capacity{};            // of a die's memory
  bool over_capacity = false;  // run although the memory does not suffice

  std::uint32_t dies() const { return tp * pp * cp * dp; }
  std::uint32_t dies_a_stage() const { return tp * cp * dp; }
  std::uint32_t micro_batches() const {
    return static_cast<std::uint32_t>(global_batch / (micro_batch * dp));
  }
  double tokens() const { return static_cast<double>(global_batch) * static_cast<double>(sequence); }
  BlockLayout block_layout() const;
};

// Reads the two blocks, without finishing `parallel`, whose other keys read_parallel() takes. Sizes that do not divide are
// noted with those that would.
StepOptions read_step_options(const Config& root);

}  // namespace a3sim
