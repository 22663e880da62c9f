#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "models/blocks/block.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/step/expert_times.h"
#include "sim/experiment/step/part_work.h"
#include "sim/experiment/step/step_options.h"

namespace a3sim {

using PartWorks = std::array<PartWork, kCountOf<BlockPart>>;
inline PartWork& at(PartWorks& works, BlockPart part) { return works[static_cast<std::size_t>(part)]; }
inline const PartWork& at(const PartWorks& works, BlockPart part) {
  return works[static_cast<std::size_t>(part)];
}

// What a block takes on one die, part by part.
struct BlockTimes {
  std::string kind;
  PartWorks forward, again, activation, weights;  // `again`: of the forward pass in the backward one
  bool experts_again = false;                     // the MoE-FFN's forward pass too
  std::optional<ExpertTimes> experts;

  double dense_parameters = 0, expert_parameters = 0;  // of this die
  double kept = 0;                                     // bytes of activations, from forward to backward
  double kept_again = 0;   // bytes that are there only while the block is computed again
  double model_flops = 0;  // a token, of all dies
  double flops_run = 0;    // of one micro-batch on this die's cubes, products and attention, all passes
};

// What a block of a kind holds and keeps: its times and operations are zero.
BlockTimes block_sizes(const StepOptions& step, const ModelShape& model, const std::string& kind);
// The same with times: what its kernels cost, and a run of its experts.
BlockTimes block_times(const Experiment& experiment, const StepOptions& step, const ModelShape& model,
                       const std::string& kind);

}  // namespace a3sim
