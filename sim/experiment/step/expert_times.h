#pragma once

#include <memory>
#include <vector>

#include "models/blocks/block.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/step/part_work.h"
#include "sim/experiment/step/row_limit.h"
#include "sim/experiment/step/step_options.h"

namespace a3sim {

// One pass of a block's MoE-FFN on one die of its group.
struct ExpertPass {
  ExchangeWork in, out;  // rows to experts and back; empty if the whole is one part
  PartWork experts;      // the work between `in` and `out`; or all of it, which then holds all cores
  PartWork weights;      // weight gradients that can be computed later
  bool whole = false;
  Duration alone{};    // time of the whole pass on its own
  double sent = 0;     // bytes that the die sends, in both directions
  double busiest = 1;  // rows of the rank that the others wait for, over the mean
};
struct ExpertTimes {
  ExpertPass forward, backward;
  RowLimit limit{};  // what step.expert_capacity does to its rows

  // Returns the time of one pass each way on its own, with the forward pass once more if it is computed again.
  Duration alone(bool again) const { return forward.alone * (again ? 2 : 1) + backward.alone; }
};

// Returns the times of a block's MoE-FFN, either from a run of the taskflow under the experiment's execution,
// or for kernels that hold some of the workers: one entry per draw of the routing (StepOptions::draws), a single
// one if the routing draws nothing. Runs equal experiments once per process. Throws InputError and RunError as
// runs do.
std::vector<ExpertTimes> expert_times(const Experiment& experiment, const StepOptions& step,
                                      const BlockExperts& experts);

// Returns the seconds of one core that the runs for these times are foreseen to take; none of what a step has run before.
double seconds_of_runs(const Experiment& experiment, const StepOptions& step, const BlockExperts& experts);

// Adds what dies that share each expert's products send one another: all get the rows of all, and each its rows of the sums.
void add_etp_exchanges(const StepOptions& step, const BlockExperts& experts, ExpertPass& pass);

// Returns which of `draws` entries a layer and micro-batch have, the same under all layouts of a model.
std::uint32_t draw_number(std::uint64_t seed, std::uint32_t draws, std::uint32_t layer,
                          std::uint32_t micro_batch);

}  // namespace a3sim
