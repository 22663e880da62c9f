#pragma once

#include <string>
#include <vector>

#include "sim/experiment/step/training_step.h"
#include "sim/experiment/work.h"

namespace a3sim {

// Returns the names of the metrics that a training step has.
std::vector<std::string> step_metric_names();

// Returns all of them. They are per die, as means over the stages.
std::vector<SampledMetric> step_samples(const StepFigures& figures);

}  // namespace a3sim
