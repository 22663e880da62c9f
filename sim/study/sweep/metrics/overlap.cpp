#include "sim/study/sweep/sweep_metric.h"

namespace a3sim {
namespace {

auto mean_of(Duration Overlap::* time) {
  return [time](const MeasuredPass& pass) {
    return MetricAmount{.part = static_cast<double>((pass.overlap().*time).count()),
                        .count = static_cast<double>(pass.run().ranks.size())};
  };
}

A3SIM_REGISTER(SweepMetric, "exposed", "communication that no cube's work covers, a rank",
               SweepMetric{SweepMetric::Form::kMilliseconds, mean_of(&Overlap::exposed), true,
                           SweepMetric::Better::kSmaller});
A3SIM_REGISTER(SweepMetric, "hidden", "communication below cubes' work, a rank",
               SweepMetric{SweepMetric::Form::kMilliseconds, mean_of(&Overlap::hidden), true});

}  // namespace
}  // namespace a3sim
