#include <algorithm>
#include <numeric>

#include "sim/diagnosis/observe/pass_work.h"
#include "sim/diagnosis/observe/trace_observation.h"
#include "traces/analysis/causes.h"
#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

void add_wait(LightRecord& record, Duration time, std::uint32_t whom) {
  record.waited += time;
  if (time <= record.longest) return;
  record.longest = time;
  record.whom = whom;
}

// Adds the stretches in which a rank was idle and which a trigger of another rank ended.
void add_waits_for_events(const Causes& causes, std::uint32_t rank, LightRecord& record) {
  const Trace& trace = causes.trace();
  const std::vector<TraceTask>& tasks = trace.ranks[rank];
  std::vector<std::uint32_t> order(tasks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t t) { return tasks[t].start; });
  Duration idle_since = trace.starts[rank] + trace.machine.launch;
  for (const std::uint32_t t : order) {
    const TraceTask& task = tasks[t];
    const TaskAt producer = causes.producer({rank, t});
    if (task.start > idle_since && producer != kNoTask && producer.rank != rank &&
        causes.task(producer).visible > idle_since)
      add_wait(record, task.start - idle_since, producer.rank);
    idle_since = std::max(idle_since, task.end);
  }
}

// Adds how long a rank waited for the last one wherever all ranks meet.
void add_waits_at_meetings(const std::vector<HostActivity>& host, LightRecord& record) {
  for (const HostActivity& activity : host) {
    if (activity.cause.kind == Cause::Kind::kMeeting)
      add_wait(record, activity.start - activity.asked, activity.cause.rank);
  }
}

// Returns one entry per rank: the time in which it sent or received.
std::vector<Stretches> transfers(const Trace& trace) {
  std::vector<Stretches> ranks(trace.ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const TraceTask& task : trace.ranks[rank]) {
      if (!task.remote || task.put_bytes == 0) continue;
      ranks[rank].emplace_back(task.start, task.done);
      ranks[trace.rank_of(task.dst)].emplace_back(task.start, task.done);
    }
  }
  for (Stretches& stretches : ranks) unite(stretches);
  return ranks;
}

PassWork::Task work_of(const Trace& trace, const TraceTask& task) {
  PassWork::Task work;
  work.op = task.op;
  work.computes = !task.remote;
  work.asked = task.taken;
  work.start = task.start;
  work.end = task.end;
  work.run = task.end - task.start;
  // A kernel of which only the time is known is not said to wait for memory.
  work.arithmetic = known_by_time_alone(trace.machine, task) ? work.run : task.arithmetic;
  work.operations = static_cast<double>(task.operations);
  work.hbm_bytes = static_cast<double>(task.hbm_bytes);
  work.sent_bytes = static_cast<double>(task.put_bytes);
  return work;
}

void add_transfer(const Trace& trace, std::uint32_t rank, const TraceTask& task, const PlaneOfHop& planes,
                  PassWork& work) {
  if (!task.remote || task.put_bytes == 0) return;
  TransferRecord& record = work.transfers.emplace_back();
  record.src = rank;
  record.dst = static_cast<std::uint32_t>(trace.rank_of(task.dst));
  record.op = task.op;
  const auto plane = planes.find(task.visible - task.done);
  if (plane != planes.end()) record.plane = plane->second;
  record.start = task.start;
  record.end = task.done;
  record.bytes = static_cast<double>(task.put_bytes);
  record.lost_sharing = static_cast<float>(microseconds(task.lost[static_cast<std::size_t>(Limit::kLink)]));
}

}  // namespace

std::vector<LightRecord> light_records(const Trace& trace, std::uint16_t pass, Duration since) {
  constexpr double kMicrosecond = 1e6;  // ps
  const auto microseconds_of = [](Duration time) {
    return static_cast<float>(static_cast<double>(time.count()) / kMicrosecond);
  };
  const Causes causes(trace);
  const WorkerKinds& kinds = trace.machine.workers;
  const std::vector<Stretches> sent = transfers(trace);
  std::vector<LightRecord> records(trace.ranks.size());
  for (std::uint32_t rank = 0; rank < records.size(); ++rank) {
    LightRecord& record = records[rank];
    Duration end{};
    std::vector<Duration> busy(kinds.size());
    for (const TraceTask& task : trace.ranks[rank]) {
      end = std::max(end, task.end);
      busy[kinds.queue_of(task.worker)] += task.end - task.start;
      record.operations += static_cast<double>(task.operations);
      if (task.remote) record.bytes += static_cast<double>(task.put_bytes);
    }
    record.start = since + trace.starts[rank];
    record.arrival = since + std::max(end, trace.starts[rank]);
    record.release = since + std::max(end, trace.makespan);
    record.rank = rank;
    record.pass = pass;
    record.aic_busy = microseconds_of(busy[kinds.queue_for(CoreUnit::kMatrix)]);
    record.aiv_busy = microseconds_of(busy[kinds.queue_for(CoreUnit::kVector)]);
    record.transfer = microseconds_of(length_of(sent[rank]));
    record.fill.fill(kNoFill);
  }
  if (trace.machine.has_kernels) {
    for (std::uint32_t rank = 0; rank < trace.hosts.size(); ++rank)
      add_waits_at_meetings(trace.hosts[rank], records[rank]);
  } else {
    for (LightRecord& record : records) add_waits_for_events(causes, record.rank, record);
  }
  return records;
}

void add_full_records(const Trace& trace, std::uint16_t pass, Duration since,
                      const std::vector<std::string>& names, const PlaneOfHop& planes, FullStep& full) {
  PassWork work;
  for (const TraceOperator& op : trace.operators)
    work.operators.push_back({op.name, op.unit == TaskUnit::kPut ? Lane::kCommunication : Lane::kCompute,
                              op.unit == TaskUnit::kCube ? CoreKind::kCube : CoreKind::kVector});
  std::vector<std::uint32_t> all;
  std::vector<Duration> ran(trace.operators.size());
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    all.push_back(rank);
    std::vector<PassWork::Task>& tasks = work.ranks.emplace_back();
    for (const TraceTask& task : trace.ranks[rank]) {
      tasks.push_back(work_of(trace, task));
      ran[task.op] += task.end - task.start;
      add_transfer(trace, rank, task, planes, work);
    }
  }
  const std::size_t before = full.operators.size();
  add_full_records(work, {0, pass, since}, all, names, full);
  for (OperatorRecord& record : std::span(full.operators).subspan(before)) {
    const auto op = static_cast<std::size_t>(
        std::ranges::find(trace.operators, names[record.op], &TraceOperator::name) - trace.operators.begin());
    const TraceOperator& of_all = trace.operators[op];
    if (ran[op] > Duration::zero())
      record.l2_bytes = (of_all.l2_read + of_all.l2_written) * seconds(record.run) / seconds(ran[op]);
  }
}

}  // namespace a3sim
