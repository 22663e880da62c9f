#include "sim/study/metrics/metric.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "traces/analysis/critical_path.h"
#include "traces/formats/stage_names.h"

namespace a3sim {
namespace {

template <class Wanted>
OperatorSpan spans_of(const PassResult& pass, const Wanted& wanted) {
  OperatorSpan span;
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      if (!wanted(ssc.operators()[ssc.tasks()[t].op])) continue;
      const TaskRecord& record = pass.run.ranks[r].records[t];
      span.first = std::min(span.first, record.start.time_since_epoch());
      span.last = std::max(span.last, record.end.time_since_epoch());
    }
  }
  return span;
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

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
  OperatorSpan span = spans_of(result_, [&](const OperatorInfo& info) { return info.name == op; });
  if (span.first == Duration::max())
    throw InputError(fmt::format("{}: no operator '{}' of which tasks run", result_.name, op));
  return span;
}

OperatorSpan PassAnalysis::exchanges() const {
  return spans_of(result_, [](const OperatorInfo& info) { return is_exchange(info.name); });
}

double Metric::base_value(const MetricAmount& amount) const {
  switch (form) {
    case Form::kShare:
    case Form::kShareOfTime:
      return amount.whole > 0 ? amount.part / amount.whole : 0;
    case Form::kPerSecond:
      return amount.part / seconds(Duration(static_cast<std::int64_t>(amount.whole)));
    default:
      return amount.part / amount.count;
  }
}

double Metric::related(double own, double other) const {
  return relation == Relation::kSpeedup ? other / own : own / other - 1;
}

double Metric::value(const MetricAmount& amount) const {
  constexpr double kSecond = 1e-12, kMillisecond = 1e-9, kMega = 1e6;
  switch (form) {
    case Form::kMilliseconds:
      return amount.part * kMillisecond / amount.count;
    case Form::kMegabytes:
      return amount.part / kMega;
    case Form::kShare:
      return percent(amount.part, amount.whole);
    case Form::kShareOfTime:
      return percent(amount.part * kSecond, amount.whole * kSecond);
    case Form::kPerSecond:
      return base_value(amount);
    default:
      return amount.part;
  }
}

std::string Metric::unit() const {
  switch (form) {
    case Form::kMilliseconds:
      return "ms";
    case Form::kMegabytes:
      return "MB";
    case Form::kShare:
    case Form::kShareOfTime:
      return "%";
    case Form::kPerSecond:
      return "1/s";
    default:
      return "";
  }
}

}  // namespace a3sim
