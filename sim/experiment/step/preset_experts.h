#pragma once

#include "sim/experiment/step/training_step.h"

namespace a3sim {

// Lays the presets that `step.experts` and `step.experts_backward` name over the configuration of a step, for the passes of
// its MoE-FFN. Notes a backward pass that a preset does not have. Throws InputError with what is wrong under a preset.
void read_preset_experts(const Config& root, TrainingPlan& plan);

// How the MoE-FFN of a step runs, in words: its presets, or the experiment's execution.
std::string experts_label(const Experiment& experiment, const StepOptions& step);

}  // namespace a3sim
