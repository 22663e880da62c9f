#include "sim/runtime/device.h"

#include <algorithm>

#include "models/operators/engine_put.h"
#include "sim/core/whole_time.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kSignalBits = 2;

std::array<double, kResources> capacities(const Hardware::MemorySystem& memory) {
  return {static_cast<double>(memory.l2_read.count), static_cast<double>(memory.l2_write.count),
          static_cast<double>(memory.hbm_read.count)};
}

void slow(PortionJob& job, double slowness) {
  const auto slowed = [&](Duration time) {
    return Duration(whole_picoseconds(static_cast<double>(time.count()) * slowness));
  };
  job.memory.ideal = slowed(job.memory.ideal);
  job.missing = std::min(job.memory.ideal, slowed(job.missing));
}

}  // namespace

Device::Device(const Ssc& ssc, const RowLayout& layout, const CostModel& cost, Fabric& fabric, Group& group,
               L2& l2, const RunOptions& options, std::uint32_t copy)
    : ssc_(ssc),
      cost_(cost),
      l2_(l2),
      options_(options),
      first_tensor_(copy * static_cast<std::uint32_t>(ssc.tensors().size())),
      hints_(hints_of(ssc, options.l2)),
      context_{layout, ssc.tensors(), ssc.operators(), ssc.tilings(), ssc.rank()},
      workers_(ssc.kinds().workers()),
      memory_(capacities(cost.hardware().memory), static_cast<std::uint32_t>(workers_.size())),
      fetches_(static_cast<std::uint32_t>(workers_.size())),
      events_(ssc.events()),
      puts_(ssc.rank(), static_cast<std::uint32_t>(workers_.size()), cost.hardware().memory, fabric, *this),
      site_{ssc, cost.hardware(), cost.program(), options_, events_, group, *this, result_.host},
      execution_(Executions::get(options.execution).create(site_)),
      group_(group),
      waits_for_events_(!Executions::get(options.execution).launches_kernels(options.transport)) {
  result_.busy.resize(ssc.queues());
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    workers_[w].queue = ssc.kinds().queue_of(w);
    workers_[w].copies = workers_[w].queue == copy_queue(ssc.kinds());
  }
  for (const OperatorInfo& op : ssc.operators()) operators_.push_back(&Operators::get(op.type));
  if (options.record) {
    result_.records.resize(ssc.tasks().size());
    events_.keep_producers();
  }
  events_.tell(*execution_);
  group.join(*execution_);
}

void Device::connect(std::span<EventCounters* const> events, std::span<PutUnit* const> puts) {
  all_events_ = events;
  puts_.connect(puts);
}

void Device::launch(Engine& engine) {
  schedule(engine,
           engine.now() + options_.rank(ssc_.rank()).start + first_launch(cost_.program(), options_.launch),
           Signal::kLaunch, 0);
}

void Device::schedule(Engine& engine, Time at, Signal signal, std::uint32_t worker) {
  engine.schedule(at, *this, worker << kSignalBits | static_cast<std::uint32_t>(signal));
}

void Device::on_event(Engine& engine, std::uint32_t arg) {
  switch (static_cast<Signal>(arg & ((1U << kSignalBits) - 1))) {
    case Signal::kLaunch:
      idle_since_ = engine.now();
      return execution_->launch(engine);
    case Signal::kRun:
      return run(engine, arg >> kSignalBits);
    case Signal::kCopied:
      return finish(engine, arg >> kSignalBits);
    case Signal::kMemory:
      return take_ended(engine);
  }
}

void Device::assign(std::uint32_t worker, std::uint32_t task, Time now) {
  Worker& w = workers_[worker];
  w.task = task;
  w.told = false;
  w.record = {};
  w.record.worker = worker;
  w.record.taken = now;
}

void Device::run_at(Engine& engine, std::uint32_t worker, Time at, const StartReason& why) {
  workers_[worker].record.cause = why.cause;
  workers_[worker].record.waited = why.waited;
  if (options_.hooks) at += options_.hooks->delay(ssc_.rank(), workers_[worker].task, at);
  schedule(engine, at, Signal::kRun, worker);
}

void Device::run(Engine& engine, std::uint32_t worker) {
  take_ended(engine);
  Worker& w = workers_[worker];
  const TaskDescriptor& td = task_of(worker);
  w.record.start = engine.now();
  if (!running_.any()) end_idle_time(engine.now(), td);
  running_.begin(engine.now());
  if (options_.hooks) {
    options_.hooks->started(ssc_.rank(), w.task);
    w.slowness = options_.hooks->slowness(ssc_.rank(), w.task);
    if (options_.hooks->ends_run(ssc_.rank(), w.task, engine.now())) engine.stop();
  }
  w.work.clear();
  operators_[td.op]->work(context_, {td, read_by(ssc_.inputs(td)), ssc_.outputs(td)}, w.work);
  w.work.worker_kind = td.queue_type;
  if (w.work.kind == WorkKind::kPut && w.work.dst != w.work.src) return start_put(engine, worker);
  if (w.work.kind == WorkKind::kPut && w.copies) return copy_here(engine, worker);
  const OpHints& hints = hints_[td.op];
  w.portions.start(w.work, hardware(), {first_tensor_, OpId{td.op}, hints.read, hints.write},
                   has_loaded_ahead(w, engine.now()));
  w.last_op = td.op;
  w.cube = {};
  w.last_cube = {};
  start_portion(engine, worker);
}

void Device::start_put(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  puts_.start(engine, worker, w.work, OpId{task_of(worker).op}, w.slowness,
              w.copies ? &hardware().copy_engine.value() : nullptr);
}

void Device::copy_here(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  const Hardware::CopyEngine& copies = hardware().copy_engine.value();
  for (const Stream& stream : w.work.streams) {
    TensorAccess rows;
    rows.l2.tensor = stream.tensor;
    rows.l2.rows = stream.rows;
    rows.l2.byte_end = static_cast<std::uint32_t>(stream.bytes / stream.rows.size());
    rows.l2.write = stream.write;
    w.record.l2.add(access_of_put(rows, OpId{task_of(worker).op}), stream.write);
  }
  const Bytes bytes{static_cast<std::int64_t>(w.work.put_bytes)};
  w.record.ideal = bytes.count == 0 ? Duration::zero() : copies.startup + transfer_time(bytes, copies.rate);
  schedule(engine, engine.now() + w.record.ideal, Signal::kCopied, worker);
}

// True if the worker came from a task of the same operator without a wait, and so loaded ahead.
bool Device::has_loaded_ahead(const Worker& w, Time now) const {
  return w.work.kind == WorkKind::kCube && w.work.tiling.loads_ahead &&
         w.last_op == ssc_.tasks()[w.task].op && now == w.last_end + cost_.program().tasks.static_task;
}

void Device::end_idle_time(Time now, const TaskDescriptor& td) {
  if (!waits_for_events_ || td.dependent_event == kNone) return;
  const EventCounters::Trigger& last = events_.last_trigger(td.dependent_event);
  if (last.rank == index(ssc_.rank()) || last.visible <= idle_since_) return;
  result_.waits.add(now - idle_since_, last.rank);
}

void Device::start_portion(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  if (w.work.kind == WorkKind::kNothing) return finish(engine, worker);
  if (!w.portions.next(w.portion)) {  // a product may send its result
    const bool sends = w.work.kind == WorkKind::kCube && w.work.put_bytes > 0;
    return sends ? start_put(engine, worker) : finish(engine, worker);
  }
  if (options_.record && w.portion.cube) cost_.add(w.work, w.portion, w.cube);
  look_up(engine, worker);
  PortionJob job = cost_.job(w.work, w.portion, w.traffic, w.last_cube);
  if (w.slowness != 1) slow(job, w.slowness);
  w.missing = job.missing;
  w.record.ideal += job.memory.ideal - job.missing;
  w.record.lost[static_cast<std::size_t>(Limit::kMiss)] += job.missing;
  memory_.start(engine.now(), worker, job.memory);
  request_settle(engine);
}

L2Traffic Device::access(const TensorAccess& access) {
  (access.l2.write ? result_.l2_write : result_.l2_read) += static_cast<double>(access.bytes());
  return l2_.access(access.l2);
}

L2Traffic Device::access_of_put(TensorAccess access, OpId op) {
  L2Access& lines = access.l2;
  lines.tensor = TensorId{first_tensor_ + index(lines.tensor)};
  lines.op = op;
  lines.hint = lines.write ? hints_[index(op)].write : hints_[index(op)].read;
  return this->access(access);
}

// Makes a portion's accesses to the L2 and notes what they found.
void Device::look_up(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.traffic = {};
  for (std::uint32_t i = 0; i < w.portion.count; ++i) {
    const TensorAccess& what = w.portion.accesses[i];
    const L2Traffic found = access(what);
    w.record.l2.add(found, what.l2.write);
    if (found.hbm_read + found.hbm_write > 0)
      w.traffic.hbm += hbm_of(w, found) / cost_.part_of_rate(w.portion, what);
    if (what.l2.write) continue;
    w.traffic.slow[i] = std::min(static_cast<double>(what.bytes()), static_cast<double>(found.hbm_read));
    if (!w.portion.cube) continue;
    w.traffic.slow[i] = std::max(w.traffic.slow[i], on_its_way(engine, worker, what));
    if (w.traffic.slow[i] > 0) fetches_.begin(worker, i, what.place_hash());
  }
}

// Returns the bytes of a panel that another core is fetching now: all who read the panel proceed at its pace.
double Device::on_its_way(Engine& engine, std::uint32_t worker, const TensorAccess& access) const {
  double most = 0;
  fetches_.each(access.place_hash(), [&](std::uint32_t other, std::uint32_t its) {
    const Worker& w = workers_[other];
    const double slow = w.traffic.slow[its];
    if (other == worker || slow <= most || !w.portion.accesses[its].same_place(access)) return;
    most = std::max(most, slow * memory_.left(engine.now(), other));
  });
  return most;
}

// Tells the memory of ends before anything else at their time, whichever event comes first.
void Device::take_ended(Engine& engine) {
  if (engine.now() != memory_end_) return;  // taken already, or predicted before speeds changed
  memory_end_ = Time::max();
  ended_.clear();
  memory_.advance(engine.now(), ended_);
  request_settle(engine);
  for (const std::uint32_t worker : ended_) end_portion(engine, worker);
}

void Device::end_portion(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  const MemoryLoss& loss = memory_.loss(worker);
  for (std::uint32_t r = 0; r < kResources; ++r) w.record.lost[r] += loss.lost[r];
  w.traffic.slow.fill(0);
  for (const std::uint32_t access : {0U, 1U}) fetches_.end(worker, access);
  start_portion(engine, worker);
}

void Device::tell(Engine& engine, std::uint32_t worker, Time visible) {
  Worker& w = workers_[worker];
  w.told = true;
  if (options_.hooks) options_.hooks->ended(ssc_.rank(), w.task);
  w.record.done = engine.now();
  w.record.visible = visible;
  const TaskDescriptor& td = task_of(worker);
  all_events_[td.trigger_rank]->add_at(engine, visible, td.trigger_event, as_seen_from(td.dst),
                                       {index(ssc_.rank()), w.task});
}

void Device::put_has_left(Engine& engine, std::uint32_t worker, Time visible) {
  Worker& w = workers_[worker];
  const PutUnit::Outcome& outcome = puts_.outcome(worker);
  w.record.ideal += outcome.ideal;
  w.record.lost[static_cast<std::size_t>(Limit::kLink)] += outcome.lost;
  w.record.lost[static_cast<std::size_t>(Limit::kMiss)] += outcome.missing;
  w.record.l2 += outcome.l2;
  w.record.put_bytes = w.work.put_bytes;
  result_.end = std::max(result_.end, visible.time_since_epoch());
  tell(engine, worker, visible);
}

void Device::finish(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.record.end = w.last_end = engine.now();
  if (!w.told) tell(engine, worker, engine.now() + cost_.program().signals.local_visibility);
  result_.end = std::max(result_.end, engine.now().time_since_epoch());
  result_.done = engine.now().time_since_epoch();
  running_.end(engine.now());
  idle_since_ = engine.now();
  result_.busy[w.queue] += w.record.end - w.record.start;
  if (options_.record) {
    const bool cube = w.work.kind == WorkKind::kCube;
    w.record.arithmetic = cube ? cost_.arithmetic(w.cube) : cost_.arithmetic(w.work);
    w.record.operations = cube ? 2 * w.cube.macs : w.work.operations();
    result_.records[w.task] = w.record;
  }
  ++finished_;
  execution_->worker_is_free(engine, worker, w.task);
}

void Device::reserve(Engine& engine, const std::array<double, kResources>& rates) {
  take_ended(engine);
  memory_.reserve(engine.now(), rates);
  request_settle(engine);
}

void Device::request_settle(Engine& engine) {
  if (settling_) return;
  settling_ = true;
  engine.settle(*this, 0);
}

void Device::on_settle(Engine& engine, std::uint32_t) {
  settling_ = false;
  const Time next = memory_.settle(engine.now());
  if (next == memory_end_) return;
  memory_end_ = next;
  if (next != Time::max()) schedule(engine, next, Signal::kMemory, 0);
}

RankResult Device::take_result() {
  result_.tasks = finished_;
  result_.l2 = l2_.total();
  if (!waits_for_events_) result_.waits = group_.waits(ssc_.rank());
  result_.sent = puts_.sent();
  result_.transfer = puts_.transfer();
  result_.received = puts_.received();
  for (std::uint32_t op = 0; op < operators_.size(); ++op) result_.l2_by_op.push_back(l2_.total(OpId{op}));
  if (l2_.knows_producers()) {
    for (std::uint32_t consumer = 0; consumer < operators_.size(); ++consumer) {
      for (std::uint32_t producer = 0; producer < operators_.size(); ++producer) {
        result_.l2_reused.push_back(l2_.reused(OpId{producer}, OpId{consumer}));
      }
    }
  }
  return std::move(result_);
}

}  // namespace a3sim
