#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

struct PassResult;
struct MicroBatchResult;
struct StepFigures;

// A figure of one pass of a run, or of all of them ('total'): what sweeps record.
struct PointMetric {
  std::string pass, name;
  double value = 0;
  std::string unit;  // "ms", "MB", "%"; "" for a number
};

// What there is to be asked for (metrics/), by name.
std::vector<std::string> metric_names();

// What a point's metrics are taken from: passes with schedules, micro-batches on streams, or a training step.
enum class MeasuredWork : std::uint8_t { kPasses, kMicroBatches, kStep };
MeasuredWork measured_work(const Experiment& experiment);
bool has_metric(MeasuredWork work, const std::string& metric);

// Whether some of the metrics are read from every task's record, which a run keeps only when it is told to.
bool need_records(std::span<const std::string> metrics);

// These metrics of all passes, which were run with records where the metrics need them; those that only streams
// have are left out.
std::vector<PointMetric> metrics_of(const Experiment& experiment, std::span<const PassResult> passes,
                                    std::span<const std::string> metrics);

// The same of micro-batches on streams, by seed: means with the interval that the seeds leave. Those that streams
// have not are left out. Throws InputError where none is left.
struct BatchMetric {
  PointMetric mean;
  double low = 0, high = 0;
};
std::vector<BatchMetric> batch_metrics(const std::vector<std::vector<MicroBatchResult>>& by_seed,
                                       std::span<const std::string> metrics);

// The same of a training step. Throws InputError where it has none of them.
std::vector<PointMetric> step_metrics(const StepFigures& figures, std::span<const std::string> metrics);

}  // namespace a3sim
