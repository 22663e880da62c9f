#include "sim/result/metrics/pass_analysis.h"

namespace a3sim {
namespace {

using Form = Metric::Form;

double ps(Duration time) { return static_cast<double>(time.count()); }

MetricAmount operations(const PassAnalysis& pass) {
  MetricAmount amount{0, ps(pass.latency())};
  for (const std::vector<TraceTask>& rank : pass.trace().ranks)
    for (const TraceTask& task : rank) amount.part += static_cast<double>(task.operations);
  return amount;
}

// Counts what the first rank sends to others or, if it sends nothing, what its tasks read and write.
MetricAmount bytes(const PassAnalysis& pass) {
  const RankResult& rank = pass.run().ranks.front();
  const double moved = rank.l2_read + rank.l2_write, sent = static_cast<double>(rank.sent);
  return {sent > 0 ? sent : moved, ps(pass.latency())};
}

MetricAmount first_rank_hits(const PassAnalysis& pass) {
  const L2Traffic::Requests& reads = pass.run().ranks.front().l2.read;
  return {static_cast<double>(reads.hit), static_cast<double>(reads.hit + reads.miss)};
}

A3SIM_REGISTER(
    Metric, "tflops", "operations of all ranks per second",
    Metric{.form = Form::kPerSecond, .amount = operations, .needs_records = true, .published_only = true});
A3SIM_REGISTER(Metric, "bandwidth", "bytes per second that the first rank sends, or moves if it sends none",
               Metric{.form = Form::kPerSecond, .amount = bytes, .published_only = true});
A3SIM_REGISTER(Metric, "l2_read_hit_rate", "the part of the first rank's reads that hit in the L2",
               Metric{.form = Form::kShare, .amount = first_rank_hits, .published_only = true});

}  // namespace
}  // namespace a3sim
