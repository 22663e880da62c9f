#include "sim/result/metrics/pass_analysis.h"

namespace a3sim {
namespace {

using Form = Metric::Form;

// Sums a figure over all ranks.
template <class Figure>
auto of_ranks(Figure figure) {
  return [figure](const PassAnalysis& pass) {
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
MetricAmount events(const PassAnalysis& pass) { return {.part = static_cast<double>(pass.run().events)}; }

A3SIM_REGISTER(Metric, "sent", "bytes of puts to other ranks",
               Metric{Form::kMegabytes, of_ranks(sent), false, Metric::Better::kSmaller});
A3SIM_REGISTER(Metric, "hbm_read", "bytes from HBM",
               Metric{Form::kMegabytes, of_ranks(hbm_read), false, Metric::Better::kSmaller});
A3SIM_REGISTER(Metric, "hbm_written", "bytes to HBM",
               Metric{Form::kMegabytes, of_ranks(hbm_written), false, Metric::Better::kSmaller});
A3SIM_REGISTER(Metric, "l2_read_hits", "of all reads",
               Metric{Form::kShare, of_ranks(read_hits), false, Metric::Better::kLarger});
A3SIM_REGISTER(Metric, "tasks", "of all ranks", Metric{Form::kNumber, of_ranks(tasks)});
A3SIM_REGISTER(Metric, "events", "that the engine executed", Metric{Form::kNumber, events});

}  // namespace
}  // namespace a3sim
