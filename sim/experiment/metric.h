#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/core/registry.h"
#include "sim/core/units.h"

namespace a3sim {

class PassAnalysis;

// The parts from which a metric is computed. For several passes, `part` and `whole` are summed.
struct MetricAmount {
  double part = 0;   // ps, bytes, or a number of things
  double whole = 0;  // of shares: the total; of rates: the time in ps
  double count = 1;  // of means: how many things were summed in `part`
};

// A number that sweeps record and published tables compare. One file registers one metric or a few alike.
struct Metric {
  static constexpr std::string_view kKind = "metric";
  enum class Form : std::uint8_t {
    kMilliseconds,
    kMegabytes,
    kGibibytes,
    kNumber,
    kShare,
    kShareOfTime,
    kPerSecond
  };

  Form form = Form::kNumber;
  // Computes it from a pass. Empty: only some kind of work has it (ExperimentWork::sample), or an operator.
  std::function<MetricAmount(const PassAnalysis&)> amount{};
  // True if it is read from every task's record. That costs more than all else.
  bool needs_trace = false;
  // The direction that is better when orders are chosen. kNeither: the metric only describes a run.
  enum class Better : std::uint8_t { kNeither, kSmaller, kLarger };
  Better better = Better::kNeither;
  // Gives the metric of one operator of the pass, of all ranks. It needs the records of tasks.
  std::function<MetricAmount(const PassAnalysis&, std::string_view op)> of_operator{};
  // kSpeedup, kSlowdown: the ratio to another case, as times faster or as a share slower. kOther: that case's own value.
  enum class Relation : std::uint8_t { kNone, kSpeedup, kSlowdown, kOther };
  Relation relation = Relation::kNone;
  // True if it needs the times of tasks, but not their causes.
  bool needs_records = false;
  // True if only published tables have it; sweeps do not record it.
  bool published_only = false;

  double value(const MetricAmount& amount) const;
  std::string unit() const;  // "ms", "MB", "%"; "" for a number
  MetricAmount amount_of(const PassAnalysis& pass, std::string_view op) const {
    return op.empty() ? amount(pass) : of_operator(pass, op);
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
