#include "sim/study/sweep/sweep_metric.h"

namespace a3sim {
namespace {

// "blame.l2_read".
std::string blame_name(Blame blame) {
  std::string name = "blame.";
  for (const char c : name_of(blame))
    name += c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return name;
}

// The critical path's share of each resource: they sum to the latency.
[[maybe_unused]] const bool kBlamesRegistered = [] {
  for (std::uint32_t b = 0; b < kBlames; ++b) {
    const auto amount = [b](const MeasuredPass& pass) {
      return MetricAmount{.part = static_cast<double>(pass.blame()[b].count())};
    };
    SweepMetrics::Entry(
        blame_name(static_cast<Blame>(b)), "of the critical path",
        std::make_unique<SweepMetric>(SweepMetric{SweepMetric::Form::kMilliseconds, amount, true}));
  }
  return true;
}();

}  // namespace
}  // namespace a3sim
