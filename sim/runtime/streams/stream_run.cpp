#include "sim/runtime/streams/stream_run.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>

#include "sim/core/whole_time.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/streams/stream_device.h"

namespace a3sim {
namespace {

// Slots of each rank's memory and links. A stream runs one task at a time: it has one slot for a job, and as
// many for transfers as any of its tasks has. So the number of slots does not grow with the program's length.
struct Slots {
  explicit Slots(const StreamProgram& program) : streams(program.ranks) {
    for (const StreamTask& task : program.tasks) {
      auto& stream = streams[index(task.rank)];
      if (stream.size() <= task.stream) stream.resize(task.stream + 1);
      auto& most = stream[task.stream].transfers;
      most = std::max(most, static_cast<std::uint32_t>(task.transfers.size()));
    }
    stream_of_transfer.resize(program.ranks);
    for (std::uint32_t r = 0; r < program.ranks; ++r) {
      for (std::uint32_t s = 0; s < streams[r].size(); ++s) {
        streams[r][s].first_transfer = static_cast<std::uint32_t>(stream_of_transfer[r].size());
        stream_of_transfer[r].insert(stream_of_transfer[r].end(), streams[r][s].transfers, s);
      }
      most_transfers = std::max(most_transfers, static_cast<std::uint32_t>(stream_of_transfer[r].size()));
    }
  }
  struct Stream {
    std::uint32_t transfers = 0, first_transfer = 0;
    std::uint32_t task = kNone;  // the task that works now
  };
  std::vector<std::vector<Stream>> streams;  // by rank and stream; the stream's number is its job's slot
  std::vector<std::vector<std::uint32_t>> stream_of_transfer;  // by rank and slot
  std::uint32_t most_transfers = 1;                            // the largest number of any rank
};

// Allows a longer run than usual: a training step lasts longer than a kernel, on fewer streams than a
// taskflow has workers.
Duration longest_run(const Slots& slots) {
  constexpr std::int64_t kWorkers = 50'000, kMostTimes = 100;
  std::int64_t streams = 1;
  for (const auto& rank : slots.streams) streams += static_cast<std::int64_t>(rank.size());
  return Engine::kLongest * std::clamp<std::int64_t>(kWorkers / streams, 1, kMostTimes);
}

const SharedCables& no_shared_cables() {
  static const SharedCables kNone;
  return kNone;
}

class StreamRun final : public EventHandler, public StreamDevice::Owner {
 public:
  StreamRun(const StreamProgram& program, const Hardware& hardware, std::span<const std::uint32_t> dies,
            const NetworkBackend& backend, const StreamConditions& conditions);
  StreamResult run();

  void on_event(Engine& engine, std::uint32_t arg) override;
  void job_has_ended(Engine& engine, std::uint32_t rank, std::uint32_t slot) override {
    const std::uint32_t task = slots_.streams[rank][slot].task;
    record_loss(task, devices_[rank]->loss(slot));
    part_has_ended(engine, task);
  }
  void transfer_has_left(Engine& engine, std::uint32_t rank, std::uint32_t slot) override {
    const Slots::Stream& stream = slots_.streams[rank][slots_.stream_of_transfer[rank][slot]];
    record_loss(engine.now(), stream.task, slot - stream.first_transfer);
    part_has_ended(engine, stream.task);
  }

 private:
  // The meaning of an event's argument; its other bits are the task.
  enum Signal : std::uint32_t { kAsk, kWork, kSend };
  static constexpr std::uint32_t kSignalBits = 2;

  // One kind of worker of one rank.
  struct Pool {
    std::uint32_t free = 0;
    std::deque<std::uint32_t> waiting;  // tasks, in the order of their requests
    // The last time that workers became free, by task `freed_by`: of several at the same time, the smallest.
    Time freed;
    std::uint32_t freed_by = kNone;
  };

  void count_dependencies();
  void begin_when_ready(Engine& engine, std::uint32_t task);
  void dependency_has_ended(Engine& engine, std::uint32_t task, std::uint32_t ended);
  void record_loss(std::uint32_t task, const MemoryLoss& loss);
  void record_loss(Time now, std::uint32_t task, std::size_t transfer);
  void ask(Engine& engine, std::uint32_t task);
  void serve(Engine& engine, Pool& pool);
  void begin(Engine& engine, std::uint32_t task);
  void work(Engine& engine, std::uint32_t task);
  void send(Engine& engine, std::uint32_t task);
  void part_has_ended(Engine& engine, std::uint32_t task);
  void end(Engine& engine, std::uint32_t task);
  Pool& pool_of(const StreamTask& task) {
    return pools_[index(task.rank) * program_.kinds.size() + task.kind];
  }
  Duration slowed(Duration time, std::uint32_t task) const {
    if (!hooks_ || slowness_[task] == 1) return time;
    return Duration(whole_picoseconds(static_cast<double>(time.count()) * slowness_[task]));
  }
  void schedule(Engine& engine, Duration in, Signal signal, std::uint32_t task) {
    engine.schedule(engine.now() + in, *this, task << kSignalBits | signal);
  }
  Fabric::Put put_of(std::uint32_t task, std::size_t number) const {
    const StreamTransfer& transfer = program_.tasks[task].transfers[number];
    return {.src = program_.tasks[task].rank,
            .dst = transfer.dst,
            .bytes = transfer.bytes,
            .slowness = hooks_ ? slowness_[task] : 1,
            .rate = transfer.rate,
            .level = transfer.level,
            .shared_path = shared_.path(task, number)};
  }

  const StreamProgram& program_;
  TaskHooks* hooks_;  // nullptr: none
  const SharedCables& shared_;
  Slots slots_;
  Fabric fabric_;
  std::vector<RankOptions> ranks_;                // by rank
  std::vector<Hardware::MemorySystem> memories_;  // by rank
  std::vector<std::unique_ptr<StreamDevice>> devices_;
  std::vector<Pool> pools_;
  std::vector<std::uint32_t> open_;   // by task: dependencies that have not ended
  std::vector<std::uint32_t> parts_;  // by task: its job and transfers that still run
  // The tasks that wait for task t, in their order: dependents_[first_dependent_[t]] and what follows up to
  // first_dependent_[t + 1].
  std::vector<std::uint32_t> dependents_, first_dependent_;
  std::vector<double> slowness_;         // by task, if there are hooks
  std::vector<std::size_t> first_send_;  // by task: its first transfer in StreamResult::sends
  std::size_t ended_ = 0;
  StreamResult result_;
};

StreamRun::StreamRun(const StreamProgram& program, const Hardware& hardware,
                     std::span<const std::uint32_t> dies, const NetworkBackend& backend,
                     const StreamConditions& conditions)
    : program_(program),
      hooks_(conditions.hooks),
      shared_(conditions.shared ? *conditions.shared : no_shared_cables()),
      slots_(program),
      fabric_(hardware, Program{}, dies, slots_.most_transfers, backend, Transport::kPuts, conditions.links,
              0, conditions.cables, program.has_exchanges(), shared_),
      ranks_(conditions.ranks),
      open_(program.tasks.size(), 0),
      parts_(program.tasks.size(), 0),
      first_dependent_(program.tasks.size() + 1, 0),
      slowness_(hooks_ ? program.tasks.size() : 0, 1) {
  ranks_.resize(program.ranks);
  for (const RankOptions& rank : ranks_)
    memories_.push_back(rank.hbm == 1 ? hardware.memory : hardware_of(hardware, rank).memory);
  std::vector<FabricEnd*> ends;
  for (std::uint32_t r = 0; r < program.ranks; ++r) {
    const auto jobs = std::max<std::size_t>(1, slots_.streams[r].size());
    devices_.push_back(std::make_unique<StreamDevice>(r, static_cast<std::uint32_t>(jobs),
                                                      slots_.most_transfers, memories_[r], fabric_, *this));
    ends.push_back(devices_.back().get());
    for (const StreamWorkers& kind : program.kinds) pools_.push_back({kind.count, {}, {}, kNone});
  }
  fabric_.connect(std::move(ends));
  fabric_.record_cables();
  result_.records.resize(program.tasks.size());
  std::size_t sends = 0;
  for (const StreamTask& task : program.tasks) {
    first_send_.push_back(sends);
    sends += task.transfers.size();
  }
  result_.sends.resize(sends);
  count_dependencies();
}

void StreamRun::count_dependencies() {
  std::vector<std::vector<std::uint32_t>> last(program_.ranks);  // by rank and stream
  struct Wait {
    std::uint32_t task, before;
  };
  std::vector<Wait> waits;
  waits.reserve(2 * program_.tasks.size());
  std::vector<std::uint32_t> before;
  for (std::uint32_t t = 0; t < program_.tasks.size(); ++t) {
    const StreamTask& task = program_.tasks[t];
    before.assign(task.after.begin(), task.after.end());
    auto& streams = last[index(task.rank)];
    if (streams.size() <= task.stream) streams.resize(task.stream + 1, kNone);
    if (streams[task.stream] != kNone) before.push_back(streams[task.stream]);
    streams[task.stream] = t;
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    open_[t] = static_cast<std::uint32_t>(before.size());
    for (const std::uint32_t b : before) {
      waits.push_back({t, b});
      ++first_dependent_[b + 1];
    }
  }
  for (std::size_t t = 0; t < program_.tasks.size(); ++t) first_dependent_[t + 1] += first_dependent_[t];
  dependents_.resize(waits.size());
  std::vector<std::uint32_t> next(first_dependent_.begin(), first_dependent_.end() - 1);
  for (const Wait& wait : waits) dependents_[next[wait.before]++] = wait.task;
}

StreamResult StreamRun::run() {
  Engine engine(longest_run(slots_));
  for (std::uint32_t t = 0; t < program_.tasks.size(); ++t) {
    if (open_[t] == 0) begin_when_ready(engine, t);
  }
  engine.run();
  if (engine.stopped()) {
    result_.stopped = true;
    result_.makespan = engine.now().time_since_epoch();
    return std::move(result_);
  }
  if (ended_ != program_.tasks.size()) throw std::logic_error("a program of streams has not ended");
  for (const StreamRecord& record : result_.records)
    result_.makespan = std::max(result_.makespan, record.end.time_since_epoch());
  for (const auto& device : devices_) result_.sent.push_back(device->sent());
  result_.cables = fabric_.cable_uses(Time(result_.makespan));
  return std::move(result_);
}

void StreamRun::on_event(Engine& engine, std::uint32_t arg) {
  const std::uint32_t task = arg >> kSignalBits;
  switch (static_cast<Signal>(arg & ((1U << kSignalBits) - 1))) {
    case kAsk:
      return ask(engine, task);
    case kWork:
      return work(engine, task);
    case kSend:
      return send(engine, task);
  }
}

// A task that waits for nothing any more begins when its rank has started.
void StreamRun::begin_when_ready(Engine& engine, std::uint32_t task) {
  StreamRecord& record = result_.records[task];
  const Time start(ranks_[index(program_.tasks[task].rank)].start);
  if (start > engine.now()) record.cause = {};
  record.ready = std::max(engine.now(), start);
  schedule(engine, record.ready - engine.now() + program_.tasks[task].wait, kAsk, task);
}

void StreamRun::dependency_has_ended(Engine& engine, std::uint32_t task, std::uint32_t ended) {
  StreamRecord& record = result_.records[task];
  if (record.cause.number == kNone || engine.now() > record.ready || ended < record.cause.number)
    record.cause = {Cause::Kind::kDependency, false, index(program_.tasks[ended].rank), ended};
  record.ready = engine.now();
  if (--open_[task] == 0) begin_when_ready(engine, task);
}

void StreamRun::ask(Engine& engine, std::uint32_t t) {
  const StreamTask& task = program_.tasks[t];
  result_.records[t].asked = engine.now();
  if (task.units == 0) return begin(engine, t);
  Pool& pool = pool_of(task);
  pool.waiting.push_back(t);
  serve(engine, pool);
}

void StreamRun::serve(Engine& engine, Pool& pool) {
  while (!pool.waiting.empty() && program_.tasks[pool.waiting.front()].units <= pool.free) {
    const std::uint32_t task = pool.waiting.front();
    pool.waiting.pop_front();
    pool.free -= program_.tasks[task].units;
    if (engine.now() > result_.records[task].asked)
      result_.records[task].cause = {Cause::Kind::kWorkers, false, index(program_.tasks[task].rank),
                                     pool.freed_by};
    begin(engine, task);
  }
}

void StreamRun::begin(Engine& engine, std::uint32_t task) {
  const RankId rank = program_.tasks[task].rank;
  const Duration held_up = hooks_ ? hooks_->delay(rank, task, engine.now()) : Duration::zero();
  if (hooks_) {
    hooks_->started(rank, task);
    slowness_[task] = hooks_->slowness(rank, task);
    if (hooks_->ends_run(rank, task, engine.now())) engine.stop();
  }
  result_.records[task].start = engine.now();
  schedule(engine, held_up + slowed(program_.tasks[task].hold, task), kWork, task);
}

void StreamRun::work(Engine& engine, std::uint32_t t) {
  const StreamTask& task = program_.tasks[t];
  StreamDevice& device = *devices_[index(task.rank)];
  const bool job = task.job.ideal > Duration::zero();
  parts_[t] = (job ? 1U : 0U) + static_cast<std::uint32_t>(task.transfers.size());
  if (parts_[t] == 0) return end(engine, t);
  result_.records[t].work = engine.now();
  slots_.streams[index(task.rank)][task.stream].task = t;
  if (job) device.start_job(engine, task.stream, {slowed(task.job.ideal, t), task.job.bytes});
  send(engine, t);
}

// Starts the transfers that have waited until now, and comes back for those that wait longer.
void StreamRun::send(Engine& engine, std::uint32_t t) {
  const StreamTask& task = program_.tasks[t];
  const Duration waited = engine.now() - result_.records[t].work;
  const std::uint32_t slot = slots_.streams[index(task.rank)][task.stream].first_transfer;
  Duration next = Duration::max();
  for (std::uint32_t i = 0; i < task.transfers.size(); ++i) {
    const Fabric::Put put = put_of(t, i);
    const Duration wait = fabric_.wait(put, OpId{}, t);
    if (wait == waited)
      devices_[index(task.rank)]->start_transfer(engine, slot + i, put, *devices_[index(put.dst)]);
    if (wait > waited) next = std::min(next, wait);
  }
  if (next != Duration::max()) schedule(engine, next - waited, kSend, t);
}

void StreamRun::record_loss(std::uint32_t task, const MemoryLoss& loss) {
  std::array<Duration, kLimits>& lost = result_.records[task].lost;
  lost = {};
  std::ranges::copy(loss.lost, lost.begin());
}

void StreamRun::record_loss(Time now, std::uint32_t task, std::size_t transfer) {
  StreamRecord& record = result_.records[task];
  const Duration alone = fabric_.least(put_of(task, transfer), record.work);
  const Duration link = std::max(Duration::zero(), now - record.work - alone);
  record.lost = {};
  record.lost[static_cast<std::size_t>(Limit::kLink)] = link;
  result_.sends[first_send_[task] + transfer] = {now, link};
}

void StreamRun::part_has_ended(Engine& engine, std::uint32_t task) {
  if (--parts_[task] == 0) end(engine, task);
}

void StreamRun::end(Engine& engine, std::uint32_t t) {
  const StreamTask& task = program_.tasks[t];
  result_.records[t].end = engine.now();
  ++ended_;
  if (hooks_) hooks_->ended(task.rank, t);
  if (task.units > 0) {
    Pool& pool = pool_of(task);
    if (engine.now() > pool.freed || pool.freed_by == kNone || t < pool.freed_by) pool.freed_by = t;
    pool.freed = engine.now();
    pool.free += task.units;
    serve(engine, pool);
  }
  for (std::uint32_t d = first_dependent_[t]; d < first_dependent_[t + 1]; ++d)
    dependency_has_ended(engine, dependents_[d], t);
}

}  // namespace

StreamResult run_streams(const StreamProgram& program, const Hardware& hardware,
                         std::span<const std::uint32_t> dies, const NetworkBackend& backend,
                         const StreamConditions& conditions) {
  return StreamRun(program, hardware, dies, backend, conditions).run();
}

}  // namespace a3sim
