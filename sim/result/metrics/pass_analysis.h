#pragma once

#include <optional>
#include <string_view>

#include "sim/experiment/metric.h"
#include "sim/experiment/run/run_outcome.h"
#include "traces/analysis/overlap.h"

namespace a3sim {

// The time in which the tasks of one operator run, over all ranks.
struct OperatorSpan {
  Duration first = Duration::max(), last{};
  Duration length() const { return last - first; }
};

// A simulated pass with its analyses. Each is made when a metric first asks for it.
class PassAnalysis {
 public:
  // Metrics with `needs_trace` need the outcome's trace. `before`, the time before the kernel, is not counted.
  explicit PassAnalysis(const RunOutcome& outcome, Duration before = Duration::zero())
      : outcome_(outcome), before_(before) {}
  const RunOutcome& outcome() const { return outcome_; }
  const RunResult& run() const { return outcome_.sums; }
  const Trace& trace() const { return outcome_.trace.value(); }
  Duration latency() const { return outcome_.latency - before_; }
  // Returns what the critical path is spent on.
  const BlameTimes& blame() const;
  // Returns the communication of all ranks together.
  const Overlap& overlap() const;
  // Throws InputError if the pass has no such operator. Needs the trace, as exchanges() does.
  OperatorSpan span(std::string_view op) const;
  // Returns the span of all operators that put rows to other ranks.
  OperatorSpan exchanges() const;

 private:
  const RunOutcome& outcome_;
  Duration before_;
  mutable std::optional<BlameTimes> blame_;
  mutable std::optional<Overlap> overlap_;
};

}  // namespace a3sim
