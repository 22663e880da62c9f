#include "sim/experiment/outcome/stream_trace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/experiment/outcome/cable_blame.h"

namespace a3sim {
namespace {

// The place of a program's task in the trace: an activity of the rank's host, or one of its tasks.
struct Place {
  bool host = false;
  std::uint32_t rank = 0, number = 0;
};

class StreamTracer {
 public:
  StreamTracer(const Experiment& experiment, const StreamPass& pass)
      : program_(pass.program), records_(pass.result.records) {
    describe_machine(experiment);
    trace_.makespan = pass.result.makespan;
    trace_.ranks.resize(program_.ranks);
    trace_.hosts.resize(program_.ranks);
    for (const RankOptions& rank : experiment.run.ranks) trace_.starts.push_back(rank.start);
    trace_.starts.resize(program_.ranks);
    for (std::uint32_t t = 0; t < program_.tasks.size(); ++t) place(t);
    for (std::uint32_t t = 0; t < program_.tasks.size(); ++t) places_[t].host ? fill_host(t) : fill_task(t);
    add_waits();
    if (!pass.result.cables.empty()) blame_cables(experiment, pass, numbers(), trace_);
    if (const Place& last = places_[pass.last()]; !last.host) trace_.last = {last.rank, last.number};
  }
  Trace take() { return std::move(trace_); }

 private:
  bool is_host(const StreamTask& task) const { return task.units > 0 && program_.kinds[task.kind].host; }
  void describe_machine(const Experiment& experiment);
  void place(std::uint32_t task);
  void fill_host(std::uint32_t task);
  void fill_task(std::uint32_t task);
  void add_waits();
  std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> numbers;
    for (const Place& place : places_) numbers.push_back(place.host ? kNone : place.number);
    return numbers;
  }
  std::uint32_t op_of(const StreamTask& task);
  std::uint32_t lane_of(const StreamTask& task) const { return task.stream - first_stream_; }
  Cause cause_of(std::uint32_t task) const {
    Cause cause = records_[task].cause;
    if (!cause.has_activity()) return cause;
    const Place& place = places_[cause.number];
    return {cause.kind, place.host, place.rank, place.number};
  }

  const StreamProgram& program_;
  const std::vector<StreamRecord>& records_;
  std::vector<Place> places_;
  std::uint32_t first_stream_ = 0;  // the first that is not the host's
  Trace trace_;
};

Duration since_start(Time time) { return time.time_since_epoch(); }

// Splits the ideal time of a kernel, `hold` of which its cores did not work, by what it is spent on. A kernel of which only the
// time is known has no arithmetic.
void split_kernel(const MemoryJob& job, Duration hold, TraceTask& task) {
  task.hold = std::clamp(hold, Duration::zero(), task.ideal);
  const auto lose = [&](Limit limit, Duration time) {
    time = std::min(time, task.ideal - task.hold);
    task.lost[static_cast<std::size_t>(limit)] += time;
    task.ideal -= time;
  };
  lose(Limit::kMiss, job.missing);
  lose(Limit::kHbm, job.hbm);
  task.arithmetic = std::min(job.arithmetic, task.ideal - task.hold);
}

void StreamTracer::describe_machine(const Experiment& experiment) {
  const Hardware& hardware = experiment.hardware;
  TraceMachine& machine = trace_.machine;
  machine.streams = true;
  std::uint32_t streams = 0;
  first_stream_ = kNone;
  for (const StreamTask& task : program_.tasks) {
    streams = std::max(streams, task.stream + 1);
    if (!is_host(task)) first_stream_ = std::min(first_stream_, task.stream);
  }
  for (std::uint32_t s = first_stream_; s < streams; ++s)
    machine.workers.add({program_.streams.at(s), 1, {true, true}});
  machine.hbm_read = static_cast<double>(hardware.memory.hbm_read.count);
  machine.hbm_write = static_cast<double>(hardware.memory.hbm_write.count);
  machine.l2_read = static_cast<double>(hardware.memory.l2_read.count);
  for (const Hardware::Fabric::Plane& plane : hardware.fabric.planes)
    machine.port += static_cast<double>(plane.egress.count);
}

std::uint32_t StreamTracer::op_of(const StreamTask& task) {
  const auto found = std::ranges::find(trace_.operators, task.name, &TraceOperator::name);
  if (found != trace_.operators.end()) return static_cast<std::uint32_t>(found - trace_.operators.begin());
  TraceOperator& op = trace_.operators.emplace_back();
  op.name = task.name;
  op.stage = static_cast<std::uint32_t>(trace_.operators.size() - 1);
  op.unit = !task.transfers.empty() ? TaskUnit::kPut : task.matrix ? TaskUnit::kCube : TaskUnit::kVector;
  return op.stage;
}

void StreamTracer::place(std::uint32_t t) {
  const StreamTask& task = program_.tasks[t];
  const std::uint32_t rank = index(task.rank);
  if (is_host(task)) {
    places_.push_back({true, rank, static_cast<std::uint32_t>(trace_.hosts[rank].size())});
    trace_.hosts[rank].emplace_back().op = op_of(task);
  } else {
    places_.push_back({false, rank, static_cast<std::uint32_t>(trace_.ranks[rank].size())});
    trace_.ranks[rank].emplace_back().op = op_of(task);
  }
}

void StreamTracer::fill_host(std::uint32_t t) {
  HostActivity& activity = trace_.hosts[places_[t].rank][places_[t].number];
  activity.what = Blame::kHost;
  activity.asked = since_start(records_[t].asked);
  activity.start = since_start(records_[t].start);
  activity.end = since_start(records_[t].end);
  activity.cause = cause_of(t);
}

void StreamTracer::fill_task(std::uint32_t t) {
  const StreamTask& stream_task = program_.tasks[t];
  const StreamRecord& record = records_[t];
  const Place& place = places_[t];
  TraceTask& task = trace_.ranks[place.rank][place.number];
  task.worker = lane_of(stream_task);
  task.src = task.dst = task.trigger_rank = place.rank;
  if (stream_task.transfers.size() == 1) task.dst = index(stream_task.transfers.front().dst);
  task.index = task.trigger_event = place.number;
  task.remote = !stream_task.transfers.empty();
  task.taken = since_start(record.asked);
  task.start = since_start(record.start);
  task.end = task.done = task.visible = since_start(record.end);
  task.lost = record.lost;
  task.ideal = task.end - task.start;
  for (const Duration lost : task.lost) task.ideal -= lost;
  const bool works = stream_task.job.ideal > Duration::zero();
  const Duration hold = stream_task.works_in_hold ? Duration::zero()
                        : works                   ? record.work - record.start
                                                  : task.ideal;
  if (!task.remote) split_kernel(stream_task.job, hold, task);
  for (const StreamTransfer& transfer : stream_task.transfers)
    task.put_bytes += static_cast<std::uint64_t>(transfer.bytes.count);
  const auto bytes = [&](Resource resource) {
    return stream_task.job.bytes[static_cast<std::size_t>(resource)];
  };
  task.hbm_bytes = static_cast<std::uint64_t>(bytes(Resource::kHbm));
  TraceOperator& op = trace_.operators[task.op];
  const auto requests = [](double amount) { return std::floor(amount / kL2Request) * kL2Request; };
  op.l2_read += requests(bytes(Resource::kL2Read));
  op.l2_written += requests(bytes(Resource::kL2Write));
  op.hbm_read += std::floor(bytes(Resource::kHbm));
  task.cause = cause_of(t);
}

// Adds waits. A stream waits, except while its next task is launched, submitted or signalled.
void StreamTracer::add_waits() {
  std::vector<std::vector<std::uint32_t>> last(
      program_.ranks, std::vector<std::uint32_t>(trace_.machine.workers.size(), kNone));
  for (std::uint32_t t = 0; t < program_.tasks.size(); ++t) {
    const Place& place = places_[t];
    if (place.host) continue;
    TraceTask& task = trace_.ranks[place.rank][place.number];
    std::uint32_t& before = last[place.rank][task.worker];
    const bool first = before == kNone;
    const Duration from = first ? task.taken : since_start(records_[before].end);
    task.waited = task.start - from - (first ? Duration::zero() : records_[t].asked - records_[t].ready);
    before = t;
  }
}

}  // namespace

Trace trace_of(const Experiment& experiment, const StreamPass& pass) {
  return StreamTracer(experiment, pass).take();
}

RunOutcome outcome_of(const Experiment& experiment, std::string name, const StreamPass& pass, Record record) {
  RunOutcome outcome;
  if (record == Record::kLatency)
    outcome.name = std::move(name);
  else
    outcome = outcome_of(std::move(name), trace_of(experiment, pass), record);
  outcome.latency = pass.latency();
  outcome.ends_apart = pass.ends_apart();
  if (record == Record::kLatency) return outcome;
  outcome.sums.cables = pass.result.cables;
  for (RankResult& rank : outcome.sums.ranks) rank.sent = 0;
  auto& ranks = outcome.sums.ranks;
  for (const StreamTask& task : pass.program.tasks) {
    for (const StreamTransfer& transfer : task.transfers) {
      if (transfer.dst == task.rank || index(transfer.dst) >= ranks.size()) continue;
      ranks[index(transfer.dst)].received += static_cast<std::uint64_t>(transfer.bytes.count);
    }
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank].sent = pass.result.sent[rank];
  return outcome;
}

}  // namespace a3sim
