#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/experiment/micro_batches.h"
#include "sim/experiment/run_experiment.h"
#include "traces/analysis/overlap.h"
#include "traces/trace.h"

namespace a3sim {

// A pass that was run, and its analyses, each made once, when a metric first asks for it.
class MeasuredPass {
 public:
  // The trace is there where some metric needs records.
  MeasuredPass(const PassResult& result, const Trace* trace) : result_(result), trace_(trace) {}
  const PassResult& result() const { return result_; }
  const RunResult& run() const { return result_.run; }
  const Trace& trace() const { return *trace_; }
  // What the critical path is spent on.
  const BlameTimes& blame() const;
  // Of all ranks' communication.
  const Overlap& overlap() const;

 private:
  const PassResult& result_;
  const Trace* trace_;
  mutable std::optional<BlameTimes> blame_;
  mutable std::optional<Overlap> overlap_;
};

// What a metric of a pass is made of. Several passes: `part` and `whole` are summed.
struct MetricAmount {
  double part = 0;   // ps, bytes, or a number of things
  double whole = 0;  // of shares: what `part` is a part of
  double count = 1;  // of means: how many things `part` is the sum of
};

// A figure of a run that sweeps record; one file of metrics/ registers it, or a few of a kind.
struct SweepMetric {
  static constexpr std::string_view kKind = "metric";
  enum class Form : std::uint8_t { kMilliseconds, kMegabytes, kNumber, kShare, kShareOfTime };

  Form form = Form::kNumber;
  // None: a figure of streams alone.
  std::function<MetricAmount(const MeasuredPass&)> amount;
  // Whether it is read from every task's record, which costs more than all that is not.
  bool needs_records = false;
  // What an order is chosen by; neither: it tells about a run, and is no aim.
  enum class Better : std::uint8_t { kNeither, kSmaller, kLarger };
  Better better = Better::kNeither;
  // Of a micro-batch on streams, by pass, in the metric's unit; none: streams have no such figure.
  struct OfBatch {
    std::string_view pass;
    double (*value)(const MicroBatchResult&);
    bool of_schedules = true;  // also where a schedule is replayed
  };
  std::vector<OfBatch> of_batch{};

  double value(const MetricAmount& amount) const;
  std::string unit() const;  // "ms", "MB", "%"; "" for a number
};

using SweepMetrics = Registry<SweepMetric>;

}  // namespace a3sim
