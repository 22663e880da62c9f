#pragma once

#include "sim/experiment/inference/inference_options.h"
#include "sim/experiment/run/run_estimate.h"

namespace a3sim {

// Returns the estimate for a run of this step of inference.
RunEstimate estimate_of_inference(const Experiment& experiment, const InferencePlan& plan);

}  // namespace a3sim
