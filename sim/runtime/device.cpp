#include "sim/runtime/device.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {
namespace {

constexpr std::uint32_t kSignalBits = 2;

std::array<double, kResources> capacities(const Hardware::MemorySystem& memory) {
  return {static_cast<double>(memory.l2_read.count), static_cast<double>(memory.l2_write.count),
          static_cast<double>(memory.hbm_read.count), static_cast<double>(memory.hbm.count)};
}

}  // namespace

Device::Device(const Ssc& ssc, const RowLayout& layout, const CostModel& cost, Fabric& fabric,
               const RunOptions& options)
    : ssc_(ssc),
      cost_(cost),
      fabric_(fabric),
      options_(options),
      context_{layout, ssc.tensors(), ssc.operators(), ssc.tilings(), ssc.rank()},
      queues_(ssc),
      memory_(capacities(cost.hardware().memory), queues_.workers()),
      workers_(queues_.workers()),
      event_counts_(ssc.events().size(), 0),
      first_waiter_(ssc.events().size(), kNone) {
  for (const OperatorInfo& op : ssc.operators()) operators_.push_back(&Operators::get(op.type));
  if (options.record) result_.records.resize(ssc.tasks().size());
}

void Device::launch(Engine& engine) {
  for (std::uint32_t w = 0; w < workers_.size(); ++w) take(engine, w);
}

void Device::schedule(Engine& engine, Time at, Signal signal, std::uint32_t value) {
  engine.schedule(at, *this, value << kSignalBits | static_cast<std::uint32_t>(signal));
}

void Device::on_event(Engine& engine, std::uint32_t arg) {
  const std::uint32_t value = arg >> kSignalBits;
  switch (static_cast<Signal>(arg & ((1U << kSignalBits) - 1))) {
    case Signal::kRun:
      return run(engine, value);
    case Signal::kFree:
      return finish(engine, value);
    case Signal::kMemory:
      return take_ended(engine);
    case Signal::kVisible:
      return count_trigger(engine, value);
  }
}

void Device::take(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.task = queues_.take(worker);
  if (w.task == kNone) return;
  w.record = {};
  w.record.worker = worker;
  w.record.taken = engine.now();
  w.checked = engine.now() + cost_.hardware().runtime.static_task;
  const std::uint32_t event = task_of(worker).dependent_event;
  if (event == kNone || event_counts_[event] >= ssc_.events()[event].threshold) {
    ready(engine, worker);
    return;
  }
  w.waiting = true;
  w.next_waiter = first_waiter_[event];
  first_waiter_[event] = worker;
}

void Device::count_trigger(Engine& engine, std::uint32_t event) {
  if (++event_counts_[event] != ssc_.events()[event].threshold) return;
  for (std::uint32_t worker = first_waiter_[event]; worker != kNone;) {
    Worker& w = workers_[worker];
    w.waiting = false;
    ready(engine, worker);
    worker = w.next_waiter;
  }
  first_waiter_[event] = kNone;
}

// Nothing keeps the worker's task any more.
void Device::ready(Engine& engine, std::uint32_t worker) {
  const Worker& w = workers_[worker];
  Time start = std::max(engine.now(), w.checked);
  if (options_.hooks) start += options_.hooks->delay(ssc_.rank(), w.task);
  schedule(engine, start, Signal::kRun, worker);
}

void Device::run(Engine& engine, std::uint32_t worker) {
  take_ended(engine);
  Worker& w = workers_[worker];
  const TaskDescriptor& td = task_of(worker);
  w.record.start = engine.now();
  if (options_.hooks) options_.hooks->started(ssc_.rank(), w.task);
  work_.clear();
  operators_[td.op]->work(context_, {td, ssc_.inputs(td), ssc_.outputs(td)}, work_);
  if (work_.kind == WorkKind::kPut && work_.dst != ssc_.rank()) return start_put(engine, worker);
  const MemoryJob job = cost_.cost(work_);
  w.record.ideal = job.ideal;
  if (job.ideal == Duration::zero()) return finish(engine, worker);
  memory_.start(engine.now(), worker, job);
  request_settle(engine);
}

void Device::start_put(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.put_bytes = work_.put_bytes;
  w.put_dst = index(work_.dst);
  if (w.put_bytes == 0) return put_has_left(engine, worker);
  const Hardware::Fabric& spec = fabric_.spec();
  w.record.ideal = transfer_time(Bytes{static_cast<std::int64_t>(w.put_bytes)},
                                 std::min({spec.put_per_worker, spec.egress, spec.ingress}));
  fabric_.start(engine, ssc_.rank(), worker, work_.dst, Bytes{static_cast<std::int64_t>(w.put_bytes)});
}

void Device::put_has_left(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  const Hardware::Fabric& spec = fabric_.spec();
  const Time visible = engine.now() + spec.hop_latency;
  if (options_.hooks) options_.hooks->ended(ssc_.rank(), w.task);
  w.record.lost[static_cast<std::size_t>(Limit::kLink)] = engine.now() - w.record.start - w.record.ideal;
  w.record.ideal += spec.put_fence;
  result_.sent += w.put_bytes;
  (*devices_)[w.put_dst]->result_.received += w.put_bytes;
  result_.end = std::max(result_.end, visible.time_since_epoch());
  trigger(engine, task_of(worker), visible);
  schedule(engine, engine.now() + spec.put_fence, Signal::kFree, worker);
}

void Device::trigger(Engine& engine, const TaskDescriptor& td, Time visible) {
  Device& owner = *(*devices_)[td.trigger_rank];
  owner.schedule(engine, visible, Signal::kVisible, td.trigger_event);
}

// The memory is told of ends before anything else at their date, whichever event comes first.
void Device::take_ended(Engine& engine) {
  if (engine.now() != memory_end_) return;  // taken already, or foreseen before speeds changed
  memory_end_ = Time::max();
  ended_.clear();
  memory_.advance(engine.now(), ended_);
  request_settle(engine);
  for (const std::uint32_t worker : ended_) {
    const MemoryLoss& loss = memory_.loss(worker);
    std::copy(loss.lost.begin(), loss.lost.end(), workers_[worker].record.lost.begin());
    finish(engine, worker);
  }
}

void Device::finish(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.record.end = engine.now();
  if (w.put_dst == kNone) {
    if (options_.hooks) options_.hooks->ended(ssc_.rank(), w.task);
    trigger(engine, task_of(worker), engine.now() + cost_.hardware().runtime.local_visibility);
  }
  w.put_dst = kNone;
  result_.end = std::max(result_.end, engine.now().time_since_epoch());
  result_.busy[static_cast<std::size_t>(queues_.queue_of(worker))] += w.record.end - w.record.start;
  if (options_.record) result_.records[w.task] = w.record;
  ++finished_;
  take(engine, worker);
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

void Device::reserve_for_puts(Engine& engine, double read, double write) {
  if (read == put_read_ && write == put_write_) return;
  take_ended(engine);
  put_read_ = read;
  put_write_ = write;
  memory_.reserve(engine.now(), {read, write, read, read + write});
  request_settle(engine);
}

std::string Device::blocked() const {
  std::string lines;
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    const Worker& w = workers_[worker];
    if (!w.waiting) continue;
    const TaskDescriptor& td = task_of(worker);
    const bool cube = queues_.queue_of(worker) == QueueType::kCtq;
    lines +=
        fmt::format("\n  rank {} {} {}: task {} ({} {}) waits for event {}: {} of {}", index(ssc_.rank()),
                    cube ? "AIC" : "AIV", cube ? worker : worker - ssc_.workers(QueueType::kCtq), w.task,
                    ssc_.operators()[td.op].name, td.task_index, td.dependent_event,
                    event_counts_[td.dependent_event], ssc_.events()[td.dependent_event].threshold);
  }
  return lines;
}

RankResult Device::take_result() {
  result_.tasks = finished_;
  const std::array<double, kResources>& moved = memory_.moved();
  result_.l2_read = moved[static_cast<std::size_t>(Resource::kL2Read)];
  result_.l2_write = moved[static_cast<std::size_t>(Resource::kL2Write)];
  result_.hbm_read = moved[static_cast<std::size_t>(Resource::kHbmRead)];
  result_.hbm = moved[static_cast<std::size_t>(Resource::kHbm)];
  return std::move(result_);
}

}  // namespace a3sim
