#pragma once

#include <string>
#include <vector>

#include "sim/experiment/inference/inference_run.h"

namespace a3sim {

// Returns what a step of inference says of itself: the answer, where its time goes, what binds its kernels, memory.
OwnSections inference_sections(const Experiment& experiment, const PreparedInference& prepared,
                               const InferenceFigures& figures);

// Returns the names of the metrics that only a step of inference has, and their values.
std::vector<std::string> inference_metric_names();
std::vector<SampledMetric> inference_samples(const PreparedInference& prepared,
                                             const InferenceFigures& figures);

}  // namespace a3sim
