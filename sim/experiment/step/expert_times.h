#pragma once

#include <memory>

#include "models/blocks/block.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/step/part_work.h"
#include "sim/experiment/step/step_options.h"

namespace a3sim {

// The MoE-FFN of a block, on one die of its group, in one pass.
struct ExpertPass {
  ExchangeWork in, out;  // rows to experts and back; nothing where the whole is one part
  PartWork experts;      // what lies between; or all of it, which then holds all cores
  PartWork weights;      // weight gradients that need not be done with the rest
  bool whole = false;
  Duration alone{};  // all of it, by itself
  double sent = 0;   // bytes that the die sends, both ways
};
struct ExpertTimes {
  ExpertPass forward, backward;
};

// Times of a block's MoE-FFN: by a run of the taskflow under the experiment's execution, or as kernels that hold some
// of the workers. Runs of equal experiments are made once in a process. Throws InputError and RunError as runs do.
ExpertTimes expert_times(const Experiment& experiment, const StepOptions& step, const BlockExperts& experts);

}  // namespace a3sim
