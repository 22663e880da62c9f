#pragma once

#include "models/blocks/block.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/step/step_options.h"

namespace a3sim {

// The effect of a limited capacity of experts on the rows that tokens choose.
struct RowLimit {
  double dropped = 0;  // part of the rows that no expert computes
  double part = 1;     // rows that experts compute, with those that fill them up, over the chosen ones
};

// Limits the rows of the experiment's routing to what each expert takes from each rank (step.expert_capacity): the mean of
// rows times that factor, rounded up, as Megatron-LM does. Changes nothing without a capacity.
RowLimit limit_rows(const StepOptions& step, const BlockExperts& experts, Experiment& experiment);

}  // namespace a3sim
