#include "sim/study/sweep/sweep_metric.h"

namespace a3sim {
namespace {

// Of the time of all ranks' workers that run tasks of a unit, that in which they run any.
auto busy(CoreUnit unit) {
  return [unit](const MeasuredPass& pass) {
    MetricAmount amount;
    for (std::size_t r = 0; r < pass.run().ranks.size(); ++r) {
      const Ssc& ssc = pass.result().schedule[r];
      const std::uint32_t queue = ssc.kinds().queue_for(unit);
      amount.part += static_cast<double>(pass.run().ranks[r].busy[queue].count());
      amount.whole += static_cast<double>((pass.run().makespan * ssc.workers(queue)).count());
    }
    return amount;
  };
}

A3SIM_REGISTER(SweepMetric, "aic_busy", "of the AICs' time, or that of what runs matrix tasks",
               SweepMetric{SweepMetric::Form::kShareOfTime, busy(CoreUnit::kMatrix), false,
                           SweepMetric::Better::kLarger});
A3SIM_REGISTER(SweepMetric, "aiv_busy", "of the AIVs' time, or that of what runs vector tasks",
               SweepMetric{SweepMetric::Form::kShareOfTime, busy(CoreUnit::kVector)});

}  // namespace
}  // namespace a3sim
