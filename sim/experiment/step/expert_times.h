#pragma once

#include <memory>

#include "models/blocks/block.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/step/part_work.h"
#include "sim/experiment/step/step_options.h"

namespace a3sim {

// One pass of a block's MoE-FFN on one die of its group.
struct ExpertPass {
  ExchangeWork in, out;  // rows to experts and back; empty if the whole is one part
  PartWork experts;      // the work between `in` and `out`; or all of it, which then holds all cores
  PartWork weights;      // weight gradients that can be computed later
  bool whole = false;
  Duration alone{};  // time of the whole pass on its own
  double sent = 0;   // bytes that the die sends, in both directions
};
struct ExpertTimes {
  ExpertPass forward, backward;
};

// Returns the times of a block's MoE-FFN, either from a run of the taskflow under the experiment's execution,
// or for kernels that hold some of the workers. Runs equal experiments once per process. Throws InputError
// and RunError as runs do.
ExpertTimes expert_times(const Experiment& experiment, const StepOptions& step, const BlockExperts& experts);

}  // namespace a3sim
