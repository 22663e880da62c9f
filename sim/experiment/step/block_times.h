#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/blocks/block.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/step/expert_times.h"
#include "sim/experiment/step/layout.h"
#include "sim/experiment/step/part_work.h"
#include "sim/experiment/step/step_options.h"

namespace a3sim {

using PartWorks = std::array<PartWork, kCountOf<BlockPart>>;
inline PartWork& at(PartWorks& works, BlockPart part) { return works[static_cast<std::size_t>(part)]; }
inline const PartWork& at(const PartWorks& works, BlockPart part) {
  return works[static_cast<std::size_t>(part)];
}

// The times of a block on one die, part by part.
struct BlockTimes {
  std::string kind;
  // `again`: what the backward pass computes again of the forward pass.
  PartWorks forward, again, activation, weights;
  bool experts_again = false;        // the backward pass also computes the MoE-FFN again
  std::vector<ExpertTimes> experts;  // one entry per draw of the routing; empty if the block has no experts

  double dense_parameters = 0, expert_parameters = 0;  // on this die
  double fp8_parameters = 0;                           // of both, those that are multiplied in eight bits
  double kept = 0;         // bytes of activations that stay from forward to backward
  double kept_again = 0;   // bytes that exist only while the block is computed again
  double model_flops = 0;  // operations for a token, on all dies
  // Operations of products and attention on this die's cubes for one micro-batch, in all passes.
  double flops_run = 0;
};

// Returns the bytes of a block's activations that wait in the host's memory (step.offload). Those of embedding and head stay: a
// head's backward pass follows its forward pass at once.
double offloaded_bytes(const StepOptions& step, const BlockTimes& block);

// Returns the parameters and the memory of a block of this kind. Its times and operations are zero.
BlockTimes block_sizes(const StepOptions& step, const ModelShape& model, const StageLayout::Kind& kind);
// Returns the same with times: the costs of its kernels, and a run of its experts.
BlockTimes block_times(const Experiment& experiment, const StepOptions& step, const ModelShape& model,
                       const StageLayout::Kind& kind);

}  // namespace a3sim
