#include "sim/study/sweep/sweep_metric.h"

namespace a3sim {
namespace {

// Of the time of all ranks' workers of a queue, that in which they run tasks.
auto busy(QueueType queue) {
  return [queue](const MeasuredPass& pass) {
    MetricAmount amount;
    for (std::size_t r = 0; r < pass.run().ranks.size(); ++r) {
      amount.part += static_cast<double>(pass.run().ranks[r].busy[static_cast<std::size_t>(queue)].count());
      amount.whole +=
          static_cast<double>((pass.run().makespan * pass.result().schedule[r].workers(queue)).count());
    }
    return amount;
  };
}

A3SIM_REGISTER(SweepMetric, "aic_busy", "of the AICs' time",
               SweepMetric{SweepMetric::Form::kShareOfTime, busy(QueueType::kCtq), false,
                           SweepMetric::Better::kLarger});
A3SIM_REGISTER(SweepMetric, "aiv_busy", "of the AIVs' time",
               SweepMetric{SweepMetric::Form::kShareOfTime, busy(QueueType::kVtq)});

}  // namespace
}  // namespace a3sim
