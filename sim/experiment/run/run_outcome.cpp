#include "sim/experiment/run/run_outcome.h"

#include <algorithm>

namespace a3sim {
namespace {

std::uint64_t requests(double bytes) { return static_cast<std::uint64_t>(bytes) / kL2Request; }

OperatorTraffic traffic_of(const TraceOperator& op) {
  OperatorTraffic traffic;
  traffic.l2.read.hit = requests(op.l2_hit);
  traffic.l2.read.miss = requests(op.l2_missed);
  traffic.l2.read.bypass = requests(op.l2_read) - traffic.l2.read.hit - traffic.l2.read.miss;
  traffic.l2.write.bypass = requests(op.l2_written);
  traffic.l2.hbm_read = static_cast<std::uint64_t>(op.hbm_read);
  traffic.l2.hbm_write = static_cast<std::uint64_t>(op.hbm_written);
  return traffic;
}

RankResult rank_of(const Trace& trace, const std::vector<TraceTask>& tasks) {
  RankResult rank;
  rank.busy.resize(trace.machine.workers.size());
  rank.tasks = tasks.size();
  for (const TraceTask& task : tasks) {
    rank.busy[trace.machine.workers.queue_of(task.worker)] += task.end - task.start;
    rank.done = std::max(rank.done, task.end);
    rank.end = std::max(rank.end, task.visible);
    if (task.remote) rank.sent += task.put_bytes;
  }
  return rank;
}

}  // namespace

RunOutcome outcome_of(std::string pass, Trace trace, Record record) {
  RunOutcome outcome;
  outcome.name = std::move(pass);
  outcome.latency = trace.latency();
  if (record == Record::kLatency) return outcome;
  outcome.lanes = trace.machine.workers;
  outcome.sums.makespan = trace.makespan;
  for (const std::vector<TraceTask>& tasks : trace.ranks) outcome.sums.ranks.push_back(rank_of(trace, tasks));
  const auto [first, last] = std::ranges::minmax_element(outcome.sums.ranks, {}, &RankResult::end);
  outcome.ends_apart = last->end - first->end;
  for (const TraceOperator& op : trace.operators) outcome.operators.push_back(traffic_of(op));
  if (record == Record::kTrace) outcome.trace = std::move(trace);
  return outcome;
}

Duration total_of(std::span<const RunOutcome> passes) {
  Duration total{};
  for (const RunOutcome& pass : passes) total += pass.latency;
  return total;
}

}  // namespace a3sim
