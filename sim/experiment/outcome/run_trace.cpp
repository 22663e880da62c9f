#include "sim/experiment/outcome/run_trace.h"

#include <algorithm>

#include "models/operators/operator.h"
#include "sim/experiment/outcome/cable_blame.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

double bytes_of(std::uint64_t requests) { return static_cast<double>(requests) * kL2Request; }

double asked(const L2Traffic::Requests& requests) {
  return bytes_of(requests.hit) + bytes_of(requests.miss) + bytes_of(requests.bypass);
}

TaskUnit unit_of(const OperatorInfo& info) {
  const Operator& op = Operators::get(info.type);
  if (op.unit() == CoreUnit::kMatrix) return TaskUnit::kCube;  // also if it sends its results
  return op.mover() != Mover::kNone ? TaskUnit::kPut : TaskUnit::kVector;
}

OperatorTraffic traffic_of(const PassResult& pass, std::size_t op) {
  const std::size_t ops = pass.schedule.front().operators().size();
  OperatorTraffic sum;
  for (const RankResult& rank : pass.run.ranks) {
    sum.l2 += rank.l2_by_op[op];
    if (rank.l2_reused.empty()) continue;
    sum.left_by.resize(ops);
    for (std::size_t producer = 0; producer < ops; ++producer)
      sum.left_by[producer] += rank.l2_reused[op * ops + producer];
  }
  return sum;
}

// Copies what a rank came to, without its tasks.
RankResult sums_of(const RankResult& rank) {
  RankResult sums;
  sums.end = rank.end;
  sums.done = rank.done;
  sums.waits = rank.waits;
  sums.transfer = rank.transfer;
  sums.busy = rank.busy;
  sums.tasks = rank.tasks;
  sums.l2_read = rank.l2_read;
  sums.l2_write = rank.l2_write;
  sums.l2 = rank.l2;
  sums.sent = rank.sent;
  sums.received = rank.received;
  return sums;
}

TraceOperator traced_operator(const PassResult& pass, std::size_t op) {
  const OperatorInfo& info = pass.schedule.front().operators()[op];
  const OperatorTraffic l2 = traffic_of(pass, op);
  TraceOperator traced;
  traced.name = info.name;
  traced.unit = unit_of(info);
  traced.stage = info.stage;
  traced.l2_read = asked(l2.l2.read);
  traced.l2_written = asked(l2.l2.write);
  traced.l2_hit = bytes_of(l2.l2.read.hit);
  traced.l2_missed = bytes_of(l2.l2.read.miss);
  traced.hbm_read = static_cast<double>(l2.l2.hbm_read);
  traced.hbm_written = static_cast<double>(l2.l2.hbm_write);
  // No hits at all count as unknown.
  if (std::ranges::any_of(l2.left_by, [](std::uint64_t requests) { return requests > 0; }))
    for (const std::uint64_t requests : l2.left_by) traced.left_by.push_back(bytes_of(requests));
  return traced;
}

TraceTask traced_task(const TaskDescriptor& td, const TaskRecord& record, bool remote) {
  TraceTask task;
  task.op = td.op;
  task.worker = record.worker;
  task.index = td.task_index;
  if (td.expert != kNoExpert) task.expert = td.gexpert;
  task.src = td.src;
  task.dst = td.dst;
  task.dependent_event = td.dependent_event;
  task.trigger_rank = td.trigger_rank;
  task.trigger_event = td.trigger_event;
  task.remote = remote;
  task.cause = record.cause;
  task.waited = record.waited;
  task.taken = record.taken.time_since_epoch();
  task.start = record.start.time_since_epoch();
  task.end = record.end.time_since_epoch();
  task.done = record.done.time_since_epoch();
  task.visible = record.visible.time_since_epoch();
  task.ideal = record.ideal;
  task.arithmetic = record.arithmetic;
  task.lost = record.lost;
  task.operations = record.operations;
  task.put_bytes = record.put_bytes;
  task.l2_hits = record.l2.read.hit;
  task.l2_misses = record.l2.read.miss;
  task.l2_write_hits = record.l2.write.hit;
  task.l2_write_misses = record.l2.write.miss;
  task.hbm_bytes = record.l2.hbm_read + record.l2.hbm_write;
  task.hbm_written = record.l2.hbm_write;
  return task;
}

void add_rank(const PassResult& pass, std::size_t rank, Trace& trace) {
  const std::span<const TaskDescriptor> tasks = pass.schedule[rank].tasks();
  std::vector<TraceTask>& traced = trace.ranks.emplace_back();
  traced.reserve(tasks.size());
  const std::uint32_t own = index(pass.schedule[rank].rank());
  std::vector<bool> moves;
  for (const OperatorInfo& op : pass.schedule[rank].operators())
    moves.push_back(Operators::get(op.type).mover() != Mover::kNone);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const bool remote = moves[tasks[t].op] && (tasks[t].src != own || tasks[t].dst != own);
    traced.push_back(traced_task(tasks[t], pass.run.ranks[rank].records[t], remote));
  }
}

}  // namespace

TraceMachine machine_of(const Experiment& experiment) {
  const Hardware& hardware = experiment.hardware;
  const ExecutionType& type = Executions::get(experiment.run.execution);
  const std::vector<std::uint32_t> dies = dies_of(experiment.run.ranks);
  const Topology topology(hardware, experiment.program, dies, experiment.run.transport,
                          experiment.representatives);
  TraceMachine machine;
  if (experiment.representatives > 0) machine.group = experiment.shape.ep;
  machine.has_kernels = type.launches_kernels(experiment.run.transport);
  machine.collectives = experiment.run.transport == Transport::kCollective;
  machine.workers = experiment.workers;
  machine.launch = first_launch(experiment.program, experiment.run.launch);
  machine.hbm_read = static_cast<double>(hardware.memory.hbm_read.count);
  machine.hbm_write = static_cast<double>(hardware.memory.hbm_write.count);
  machine.l2_read = static_cast<double>(hardware.memory.l2_read.count);
  std::int64_t port = 0;  // sum over a rank's ports
  for (std::size_t p = 0; p < topology.ports().egress.size(); p += topology.devices())
    port += topology.ports().egress[p].count;
  machine.port = static_cast<double>(std::max<std::int64_t>(1, port));
  return machine;
}

Trace trace_of(const Experiment& experiment, const PassResult& pass) {
  Trace trace;
  trace.machine = machine_of(experiment);
  trace.makespan = pass.run.makespan;
  for (std::size_t op = 0; op < pass.schedule.front().operators().size(); ++op)
    trace.operators.push_back(traced_operator(pass, op));
  for (const RankOptions& rank : experiment.run.ranks) trace.starts.push_back(rank.start);
  if (experiment.representatives > 0) trace.starts.resize(experiment.representatives);
  for (std::size_t rank = 0; rank < pass.schedule.size(); ++rank) {
    add_rank(pass, rank, trace);
    trace.hosts.push_back(pass.run.ranks[rank].host);
  }
  blame_cables(experiment, pass, trace);
  return trace;
}

std::vector<Trace> traces_of(const Experiment& experiment, std::span<const PassResult> passes) {
  std::vector<Trace> traces;
  for (const PassResult& pass : passes) traces.push_back(trace_of(experiment, pass));
  return traces;
}

RunOutcome outcome_of(const Experiment& experiment, const PassResult& pass, Record record) {
  RunOutcome outcome;
  outcome.name = pass.name;
  outcome.latency = pass.run.makespan;
  outcome.stopped = pass.run.stopped;
  if (outcome.stopped) return outcome;
  const auto [first, last] = std::ranges::minmax_element(pass.run.ranks, {}, &RankResult::end);
  outcome.ends_apart = last->end - first->end;
  if (record == Record::kLatency) return outcome;
  outcome.lanes = experiment.workers;
  outcome.sums.makespan = pass.run.makespan;
  outcome.sums.events = pass.run.events;
  outcome.sums.network = pass.run.network;
  outcome.sums.cables = pass.run.cables;
  for (const RankResult& rank : pass.run.ranks) outcome.sums.ranks.push_back(sums_of(rank));
  for (std::size_t op = 0; op < pass.schedule.front().operators().size(); ++op)
    outcome.operators.push_back(traffic_of(pass, op));
  outcome.bounds = pass.bounds;
  if (record == Record::kTrace) outcome.trace = trace_of(experiment, pass);
  return outcome;
}

std::vector<RunOutcome> outcomes_of(const Experiment& experiment, std::span<const PassResult> passes,
                                    Record record) {
  std::vector<RunOutcome> outcomes;
  for (const PassResult& pass : passes) outcomes.push_back(outcome_of(experiment, pass, record));
  return outcomes;
}

}  // namespace a3sim
