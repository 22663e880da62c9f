#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/experiment/micro_batches.h"
#include "sim/experiment/run_experiment.h"
#include "sim/experiment/step/training_step.h"
#include "traces/analysis/overlap.h"
#include "traces/trace.h"

namespace a3sim {

// The time in which the tasks of one operator run, over all ranks.
struct OperatorSpan {
  Duration first = Duration::max(), last{};
  Duration length() const { return last - first; }
};

// A simulated pass with its analyses. Each is made when a metric first asks for it.
class PassAnalysis {
 public:
  // Metrics with `needs_trace` need the trace. `before`, the time before the kernel, is not counted.
  PassAnalysis(const PassResult& result, const Trace* trace, Duration before = Duration::zero())
      : result_(result), trace_(trace), before_(before) {}
  const PassResult& result() const { return result_; }
  const RunResult& run() const { return result_.run; }
  const Trace& trace() const { return *trace_; }
  Duration latency() const { return run().makespan - before_; }
  // Returns what the critical path is spent on.
  const BlameTimes& blame() const;
  // Returns the communication of all ranks together.
  const Overlap& overlap() const;
  // Throws InputError if the pass has no such operator. Needs records.
  OperatorSpan span(std::string_view op) const;
  // Returns the span of all operators that put rows to other ranks. Needs records.
  OperatorSpan exchanges() const;

 private:
  const PassResult& result_;
  const Trace* trace_;
  Duration before_;
  mutable std::optional<BlameTimes> blame_;
  mutable std::optional<Overlap> overlap_;
};

// The parts from which a metric is computed. For several passes, `part` and `whole` are summed.
struct MetricAmount {
  double part = 0;   // ps, bytes, or a number of things
  double whole = 0;  // of shares: the total; of rates: the time in ps
  double count = 1;  // of means: how many things were summed in `part`
};

// A number that sweeps record and published tables compare. One file registers one metric or a few alike.
struct Metric {
  static constexpr std::string_view kKind = "metric";
  enum class Form : std::uint8_t { kMilliseconds, kMegabytes, kNumber, kShare, kShareOfTime, kPerSecond };

  Form form = Form::kNumber;
  // Empty for metrics of streams or operators only.
  std::function<MetricAmount(const PassAnalysis&)> amount{};
  // True if it is read from every task's record. That costs more than all else.
  bool needs_trace = false;
  // The direction that is better when orders are chosen. kNeither: the metric only describes a run.
  enum class Better : std::uint8_t { kNeither, kSmaller, kLarger };
  Better better = Better::kNeither;
  // Gives the metric of a micro-batch on streams by pass, in the metric's unit. nullopt: streams have no
  // such metric.
  struct OfBatch {
    std::string_view pass;
    double (*value)(const MicroBatchResult&);
    bool of_schedules = true;  // also where a schedule is replayed
  };
  std::vector<OfBatch> of_batch{};
  // Gives the metric of a training step, in the metric's unit. Empty: steps have no such metric.
  std::function<double(const StepFigures&)> of_step{};
  // Gives the metric of one operator of the pass.
  std::function<MetricAmount(const PassAnalysis&, std::string_view op)> of_operator{};
  // kSpeedup, kSlowdown: the ratio to another case, as times faster or as a share slower.
  enum class Relation : std::uint8_t { kNone, kSpeedup, kSlowdown };
  Relation relation = Relation::kNone;
  // True if it needs records of tasks, but no trace.
  bool needs_records = false;
  // True if only published tables have it; sweeps do not record it.
  bool published_only = false;

  double value(const MetricAmount& amount) const;
  std::string unit() const;  // "ms", "MB", "%"; "" for a number
  MetricAmount amount_of(const PassAnalysis& pass, std::string_view op) const {
    return of_operator ? of_operator(pass, op) : amount(pass);
  }
  // Returns ps, bytes or a number; a share as a part of 1; a rate per second.
  double base_value(const MetricAmount& amount) const;
  double related(double own, double other) const;
};

using Metrics = Registry<Metric>;

// Returns the mean of a metric that is a time.
inline Duration mean_time(const MetricAmount& amount) {
  return Duration(static_cast<std::int64_t>(amount.part / amount.count));
}

}  // namespace a3sim
