#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

struct PassResult;
struct MicroBatchResult;
struct StepFigures;

// A metric that a sweep records, of one pass or of all passes ('total').
struct PointMetric {
  std::string pass, name;
  double value = 0;
  std::string unit;  // "ms", "MB", "%"; "" for a number
};

// Returns the names of all registered metrics.
std::vector<std::string> metric_names();

// The kind of work that a point runs: passes with schedules, micro-batches on streams, or a training step.
enum class MeasuredWork : std::uint8_t { kPasses, kMicroBatches, kStep };
MeasuredWork measured_work(const Experiment& experiment);
bool has_metric(MeasuredWork work, const std::string& metric);

// True if some of the metrics need task records, which a run keeps only if asked.
bool need_records(std::span<const std::string> metrics);

// Returns these metrics of all passes, without those that only streams have. The passes must have been run
// with records if a metric needs them.
std::vector<PointMetric> metrics_of(const Experiment& experiment, std::span<const PassResult> passes,
                                    std::span<const std::string> metrics);

// The mean of a metric over the seeds of micro-batches on streams, with its interval.
// The function leaves out metrics that streams do not have, and throws InputError if none is left.
struct BatchMetric {
  PointMetric mean;
  double low = 0, high = 0;
};
std::vector<BatchMetric> batch_metrics(const std::vector<std::vector<MicroBatchResult>>& by_seed,
                                       std::span<const std::string> metrics);

// Returns the metrics of a training step. Throws InputError if a step has none of them.
std::vector<PointMetric> step_metrics(const StepFigures& figures, std::span<const std::string> metrics);

}  // namespace a3sim
