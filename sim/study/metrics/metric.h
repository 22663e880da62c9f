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

// When the tasks of one operator run, over all ranks.
struct OperatorSpan {
  Duration first = Duration::max(), last{};
  Duration length() const { return last - first; }
};

// A simulated pass, and its analyses, each made once, when a metric first asks for it.
class PassAnalysis {
 public:
  // The trace is needed by metrics with `needs_trace`. `before` is not counted: what passes before the kernel.
  PassAnalysis(const PassResult& result, const Trace* trace, Duration before = Duration::zero())
      : result_(result), trace_(trace), before_(before) {}
  const PassResult& result() const { return result_; }
  const RunResult& run() const { return result_.run; }
  const Trace& trace() const { return *trace_; }
  Duration latency() const { return run().makespan - before_; }
  // What the critical path is spent on.
  const BlameTimes& blame() const;
  // Communication of all ranks together.
  const Overlap& overlap() const;
  // Throws InputError for an operator that the pass does not have. Needs records.
  OperatorSpan span(std::string_view op) const;
  // The span of the operators that put rows to other ranks. Needs records.
  OperatorSpan exchanges() const;

 private:
  const PassResult& result_;
  const Trace* trace_;
  Duration before_;
  mutable std::optional<BlameTimes> blame_;
  mutable std::optional<Overlap> overlap_;
};

// What a metric of a pass is made of. Of several passes, `part` and `whole` are summed.
struct MetricAmount {
  double part = 0;   // ps, bytes, or a number of things
  double whole = 0;  // of shares: what `part` is a part of; of rates: the ps that it took
  double count = 1;  // of means: how many things `part` is the sum of
};

// A number that sweeps record and published tables compare; one file registers it, or a few of a kind.
struct Metric {
  static constexpr std::string_view kKind = "metric";
  enum class Form : std::uint8_t { kMilliseconds, kMegabytes, kNumber, kShare, kShareOfTime, kPerSecond };

  Form form = Form::kNumber;
  // None: a metric of streams, or of an operator, alone.
  std::function<MetricAmount(const PassAnalysis&)> amount{};
  // Whether it is read from every task's record, which costs more than all that is not.
  bool needs_trace = false;
  // What an order is chosen by; neither: it tells about a run, and is no aim.
  enum class Better : std::uint8_t { kNeither, kSmaller, kLarger };
  Better better = Better::kNeither;
  // The metric of a micro-batch on streams, by pass, in the metric's unit; none: streams have no such metric.
  struct OfBatch {
    std::string_view pass;
    double (*value)(const MicroBatchResult&);
    bool of_schedules = true;  // also where a schedule is replayed
  };
  std::vector<OfBatch> of_batch{};
  // The metric of a training step, in the metric's unit; none: steps have no such metric.
  std::function<double(const StepFigures&)> of_step{};
  // The metric of one of the pass's operators.
  std::function<MetricAmount(const PassAnalysis&, std::string_view op)> of_operator{};
  // Whether it is a ratio to another case: how many times faster than that, or by which part slower.
  enum class Relation : std::uint8_t { kNone, kSpeedup, kSlowdown };
  Relation relation = Relation::kNone;
  // Whether it needs records of tasks, but no trace.
  bool needs_records = false;
  // Whether it is of published tables alone: sweeps do not record it.
  bool published_only = false;

  double value(const MetricAmount& amount) const;
  std::string unit() const;  // "ms", "MB", "%"; "" for a number
  MetricAmount amount_of(const PassAnalysis& pass, std::string_view op) const {
    return of_operator ? of_operator(pass, op) : amount(pass);
  }
  // In ps, bytes, or a number; of shares a part of 1; of rates a second's.
  double base_value(const MetricAmount& amount) const;
  double related(double own, double other) const;
};

using Metrics = Registry<Metric>;

// The mean of a metric that is a time.
inline Duration mean_time(const MetricAmount& amount) {
  return Duration(static_cast<std::int64_t>(amount.part / amount.count));
}

}  // namespace a3sim
