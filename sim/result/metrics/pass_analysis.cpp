#include "sim/result/metrics/pass_analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "traces/analysis/critical_path.h"
#include "traces/formats/stage_names.h"

namespace a3sim {
namespace {

template <class Wanted>
OperatorSpan spans_of(const Trace& trace, const Wanted& wanted) {
  OperatorSpan span;
  for (const std::vector<TraceTask>& rank : trace.ranks) {
    for (const TraceTask& task : rank) {
      if (!wanted(trace.operators[task.op].name)) continue;
      span.first = std::min(span.first, task.start);
      span.last = std::max(span.last, task.end);
    }
  }
  return span;
}

}  // namespace

const BlameTimes& PassAnalysis::blame() const {
  if (blame_) return *blame_;
  blame_.emplace();
  for (const BlameTimes& times : critical_path(Causes(trace())).blame) {
    for (std::uint32_t b = 0; b < kBlames; ++b) (*blame_)[b] += times[b];
  }
  return *blame_;
}

const Overlap& PassAnalysis::overlap() const {
  if (overlap_) return *overlap_;
  overlap_.emplace();
  for (const Overlap& rank : overlaps(trace())) {
    overlap_->hidden += rank.hidden;
    overlap_->exposed += rank.exposed;
  }
  return *overlap_;
}

OperatorSpan PassAnalysis::span(std::string_view op) const {
  OperatorSpan span = spans_of(trace(), [&](const std::string& name) { return name == op; });
  if (span.first == Duration::max())
    throw InputError(fmt::format("{}: no operator '{}' of which tasks run", outcome_.name, op));
  return span;
}

OperatorSpan PassAnalysis::exchanges() const {
  return spans_of(trace(), [](const std::string& name) { return is_exchange(name); });
}

}  // namespace a3sim
