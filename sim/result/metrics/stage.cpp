#include <algorithm>
#include <optional>

#include "sim/core/error.h"
#include "sim/result/metrics/pass_analysis.h"

namespace a3sim {
namespace {

// Returns how long an operator takes on a rank, as the mean over ranks: from the end of what the rank ran before it, so with
// its launch, to the end of its last task. `A to B` is from what came before A to the last task of B.
MetricAmount stage(const PassAnalysis& pass, std::string_view op) {
  constexpr std::string_view kTo = " to ";
  const std::size_t to = op.find(kTo);
  const std::string_view from = op.substr(0, to),
                         until = to == std::string_view::npos ? op : op.substr(to + kTo.size());
  static_cast<void>(pass.span(from));  // refuse unknown operators
  static_cast<void>(pass.span(until));
  MetricAmount sum{.count = 0};
  for (const std::vector<TraceTask>& rank : pass.trace().ranks) {
    std::optional<Duration> first;
    Duration last{};
    for (const TraceTask& task : rank) {
      const std::string& name = pass.trace().operators[task.op].name;
      if (name == from) first = std::min(first.value_or(task.start), task.start);
      if (name == until) last = std::max(last, task.end);
    }
    if (!first) continue;
    Duration before{};
    for (const TraceTask& task : rank)
      if (task.end <= *first) before = std::max(before, task.end);
    sum.part += static_cast<double>((last - before).count());
    ++sum.count;
  }
  return sum;
}

A3SIM_REGISTER(Metric, "stage", "of a rank, from the end of what ran before an operator to its last end",
               Metric{.form = Metric::Form::kMilliseconds,
                      .of_operator = stage,
                      .needs_records = true,
                      .published_only = true});

}  // namespace
}  // namespace a3sim
