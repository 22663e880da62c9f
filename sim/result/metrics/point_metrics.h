#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// A metric that a sweep records, of one pass or of all passes ('total').
struct PointMetric {
  std::string pass, name;
  double value = 0;
  std::string unit;  // "ms", "MB", "%"; "" for a number
};

// Returns the names of all registered metrics.
std::vector<std::string> metric_names();

// Returns those of the metrics that the experiment's kind of work has.
std::vector<std::string> metrics_had(const Experiment& experiment, std::span<const std::string> names);

// True if some of the metrics need a trace, which a run keeps only if asked.
bool need_trace(std::span<const std::string> metrics);

// Returns these metrics of all passes, without those that passes do not have. The passes must have traces if
// a metric needs them.
std::vector<PointMetric> metrics_of(std::span<const RunOutcome> passes, std::span<const std::string> names);

// The mean of a metric over samples, with its interval.
struct SampledMean {
  PointMetric mean;
  double low = 0, high = 0;
};
// Returns those of these metrics that samples have. `by_seed` has the samples of each seed.
std::vector<SampledMean> sampled_means(const std::vector<std::vector<SampledMetric>>& by_seed,
                                       std::span<const std::string> names);

// Runs an experiment and returns those of these metrics that its work has. `cache` may have the schedules of
// the last one, or is null. Throws InputError if the work has none of them.
std::vector<PointMetric> measured(const Experiment& experiment, std::span<const std::string> names,
                                  CompileCache* cache);

}  // namespace a3sim
