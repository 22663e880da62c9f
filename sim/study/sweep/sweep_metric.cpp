#include "sim/study/sweep/sweep_metric.h"

#include "traces/analysis/critical_path.h"

namespace a3sim {
namespace {

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

}  // namespace

const BlameTimes& MeasuredPass::blame() const {
  if (blame_) return *blame_;
  blame_.emplace();
  for (const BlameTimes& of : critical_path(Causes(trace())).blame) {
    for (std::uint32_t b = 0; b < kBlames; ++b) (*blame_)[b] += of[b];
  }
  return *blame_;
}

const Overlap& MeasuredPass::overlap() const {
  if (overlap_) return *overlap_;
  overlap_.emplace();
  for (const Overlap& rank : overlaps(trace())) {
    overlap_->hidden += rank.hidden;
    overlap_->exposed += rank.exposed;
  }
  return *overlap_;
}

double SweepMetric::value(const MetricAmount& amount) const {
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
    default:
      return amount.part;
  }
}

std::string SweepMetric::unit() const {
  switch (form) {
    case Form::kMilliseconds:
      return "ms";
    case Form::kMegabytes:
      return "MB";
    case Form::kShare:
    case Form::kShareOfTime:
      return "%";
    default:
      return "";
  }
}

}  // namespace a3sim
