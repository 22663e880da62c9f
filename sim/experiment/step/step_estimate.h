#pragma once

#include "sim/experiment/run/run_estimate.h"
#include "sim/experiment/step/training_plan.h"

namespace a3sim {

// Returns the estimate for a run of this training step.
RunEstimate estimate_of_step(const TrainingPlan& plan);
// Returns the same, with the seconds that the taskflows of its experts take.
RunEstimate estimate_of_step(const Experiment& experiment, const TrainingPlan& plan);

}  // namespace a3sim
