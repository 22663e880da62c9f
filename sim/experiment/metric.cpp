#include "sim/experiment/metric.h"

namespace a3sim {
namespace {

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

}  // namespace

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
  if (relation == Relation::kOther) return other;
  return relation == Relation::kSpeedup ? other / own : own / other - 1;
}

double Metric::value(const MetricAmount& amount) const {
  constexpr double kSecond = 1e-12, kMillisecond = 1e-9, kMega = 1e6, kGibi = 0x1p30;
  switch (form) {
    case Form::kMilliseconds:
      return amount.part * kMillisecond / amount.count;
    case Form::kMegabytes:
      return amount.part / kMega;
    case Form::kGibibytes:
      return amount.part / kGibi;
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
    case Form::kGibibytes:
      return "GiB";
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
