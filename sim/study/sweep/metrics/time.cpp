#include <algorithm>

#include "sim/study/sweep/sweep_metric.h"

namespace a3sim {
namespace {

using Form = SweepMetric::Form;

double ps(Duration time) { return static_cast<double>(time.count()); }

MetricAmount latency(const MeasuredPass& pass) { return {.part = ps(pass.run().makespan)}; }
MetricAmount bound(const MeasuredPass& pass) { return {.part = ps(pass.result().bounds.largest())}; }
MetricAmount efficiency(const MeasuredPass& pass) { return {bound(pass).part, latency(pass).part}; }
MetricAmount completion_skew(const MeasuredPass& pass) {
  const auto [first, last] = std::ranges::minmax(pass.run().ranks, {}, &RankResult::end);
  return {.part = ps(last.end - first.end)};
}

A3SIM_REGISTER(SweepMetric, "latency", "from the common start to the last completion",
               SweepMetric{
                   Form::kMilliseconds,
                   latency,
                   false,
                   SweepMetric::Better::kSmaller,
                   {{"forward", [](const MicroBatchResult& of) { return milliseconds(of.forward); }},
                    {"backward", [](const MicroBatchResult& of) { return milliseconds(of.backward); }},
                    {"total",
                     [](const MicroBatchResult& of) { return milliseconds(of.forward + of.backward); }}}});
A3SIM_REGISTER(SweepMetric, "bound", "the largest lower bound", SweepMetric{Form::kMilliseconds, bound});
A3SIM_REGISTER(SweepMetric, "efficiency", "the bound's part of the latency",
               SweepMetric{Form::kShareOfTime, efficiency, false, SweepMetric::Better::kLarger});
A3SIM_REGISTER(SweepMetric, "completion_skew", "from the first rank's end to the last's",
               SweepMetric{Form::kMilliseconds, completion_skew, false, SweepMetric::Better::kSmaller});

}  // namespace
}  // namespace a3sim
