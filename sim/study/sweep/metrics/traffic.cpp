#include "sim/study/sweep/sweep_metric.h"

namespace a3sim {
namespace {

using Form = SweepMetric::Form;

// The sum of a figure over all ranks.
template <class Figure>
auto of_ranks(Figure figure) {
  return [figure](const MeasuredPass& pass) {
    MetricAmount amount;
    for (const RankResult& rank : pass.run().ranks) {
      const MetricAmount one = figure(rank);
      amount.part += one.part;
      amount.whole += one.whole;
    }
    return amount;
  };
}

MetricAmount sent(const RankResult& rank) { return {.part = static_cast<double>(rank.sent)}; }
MetricAmount hbm_read(const RankResult& rank) { return {.part = static_cast<double>(rank.l2.hbm_read)}; }
MetricAmount hbm_written(const RankResult& rank) { return {.part = static_cast<double>(rank.l2.hbm_write)}; }
MetricAmount read_hits(const RankResult& rank) {
  const L2Traffic::Requests& reads = rank.l2.read;
  return {static_cast<double>(reads.hit), static_cast<double>(reads.hit + reads.miss)};
}
MetricAmount tasks(const RankResult& rank) { return {.part = static_cast<double>(rank.tasks)}; }
MetricAmount events(const MeasuredPass& pass) { return {.part = static_cast<double>(pass.run().events)}; }

A3SIM_REGISTER(SweepMetric, "sent", "bytes of puts to other ranks",
               SweepMetric{Form::kMegabytes, of_ranks(sent), false, SweepMetric::Better::kSmaller});
A3SIM_REGISTER(SweepMetric, "hbm_read", "bytes from HBM",
               SweepMetric{Form::kMegabytes, of_ranks(hbm_read), false, SweepMetric::Better::kSmaller});
A3SIM_REGISTER(SweepMetric, "hbm_written", "bytes to HBM",
               SweepMetric{Form::kMegabytes, of_ranks(hbm_written), false, SweepMetric::Better::kSmaller});
A3SIM_REGISTER(SweepMetric, "l2_read_hits", "of all reads",
               SweepMetric{Form::kShare, of_ranks(read_hits), false, SweepMetric::Better::kLarger});
A3SIM_REGISTER(SweepMetric, "tasks", "of all ranks", SweepMetric{Form::kNumber, of_ranks(tasks)});
A3SIM_REGISTER(SweepMetric, "events", "that the engine executed", SweepMetric{Form::kNumber, events});

}  // namespace
}  // namespace a3sim
