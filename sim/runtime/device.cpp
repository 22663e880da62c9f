#include "sim/runtime/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/whole_time.h"
#include "sim/memory/l2/piece_l2.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kSignalBits = 3;

std::array<double, kResources> capacities(const Hardware::MemorySystem& memory) {
  return {static_cast<double>(memory.l2_read.count), static_cast<double>(memory.l2_write.count),
          static_cast<double>(memory.hbm_read.count)};
}

void slow(StepJob& job, double slowness) {
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
      fabric_(fabric),
      group_(group),
      l2_(l2),
      options_(options),
      first_tensor_(copy * static_cast<std::uint32_t>(ssc.tensors().size())),
      hints_(hints_of(ssc, options.l2)),
      context_{layout, ssc.tensors(), ssc.operators(), ssc.tilings(), ssc.rank()},
      workers_(ssc.workers(QueueType::kCtq) + ssc.workers(QueueType::kVtq)),
      memory_(capacities(cost.hardware().memory), static_cast<std::uint32_t>(workers_.size())),
      fetching_(2 * ssc.workers(QueueType::kCtq)),
      event_counts_(ssc.events().size(), 0),
      execution_(make_execution(options.execution, *this)) {
  for (const OperatorInfo& op : ssc.operators()) operators_.push_back(&Operators::get(op.type));
  if (options.record) result_.records.resize(ssc.tasks().size());
}

void Device::launch(Engine& engine) {
  schedule(engine, engine.now() + options_.rank(ssc_.rank()).start + hardware().runtime.kernel_launch,
           Signal::kLaunch, 0);
}

void Device::schedule(Engine& engine, Time at, Signal signal, std::uint32_t value) {
  engine.schedule(at, *this, value << kSignalBits | static_cast<std::uint32_t>(signal));
}

void Device::on_event(Engine& engine, std::uint32_t arg) {
  const std::uint32_t value = arg >> kSignalBits;
  switch (static_cast<Signal>(arg & ((1U << kSignalBits) - 1))) {
    case Signal::kLaunch:
      return execution_->launch(engine);
    case Signal::kRun:
      return run(engine, value);
    case Signal::kFlow:
      return let_flow(engine, value);
    case Signal::kFree:
      return finish(engine, value);
    case Signal::kMemory:
      return take_ended(engine);
    case Signal::kVisible:
      return count_trigger(engine, value);
    case Signal::kCall:
      return execution_->called(engine, value);
  }
}

void Device::assign(std::uint32_t worker, std::uint32_t task, Time now) {
  Worker& w = workers_[worker];
  w.task = task;
  w.record = {};
  w.record.worker = worker;
  w.record.taken = now;
}

void Device::run_at(Engine& engine, std::uint32_t worker, Time at) {
  if (options_.hooks) at += options_.hooks->delay(ssc_.rank(), workers_[worker].task);
  schedule(engine, at, Signal::kRun, worker);
}

void Device::count_trigger(Engine& engine, std::uint32_t event) {
  if (++event_counts_[event] == ssc_.events()[event].threshold) execution_->event_is_complete(engine, event);
}

void Device::run(Engine& engine, std::uint32_t worker) {
  take_ended(engine);
  Worker& w = workers_[worker];
  const TaskDescriptor& td = task_of(worker);
  w.record.start = engine.now();
  if (options_.hooks) {
    options_.hooks->started(ssc_.rank(), w.task);
    w.slowness = options_.hooks->slowness(ssc_.rank(), w.task);
  }
  w.work.clear();
  operators_[td.op]->work(context_, {td, ssc_.inputs(td), ssc_.outputs(td)}, w.work);
  if (w.work.kind == WorkKind::kPut && w.work.dst != ssc_.rank()) return start_put(engine, worker);
  w.steps.start(w.work, hardware());
  start_step(engine, worker);
}

void Device::start_step(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  if (w.work.kind == WorkKind::kNothing || !w.steps.next(w.step)) return finish(engine, worker);
  look_up(engine, worker);
  StepJob job = cost_.job(w.work, w.step, w.traffic);
  if (w.slowness != 1) slow(job, w.slowness);
  w.missing = job.missing;
  w.record.ideal += job.memory.ideal - job.missing;
  w.record.lost[static_cast<std::size_t>(Limit::kMiss)] += job.missing;
  memory_.start(engine.now(), worker, job.memory);
  request_settle(engine);
}

L2Traffic Device::access(const StepAccess& access, OpId op) {
  L2Access lines = access.l2;
  lines.tensor = TensorId{first_tensor_ + index(lines.tensor)};
  lines.op = op;
  lines.hint = lines.write ? hints_[index(op)].write : hints_[index(op)].read;
  const L2Traffic traffic = l2_.access(lines);
  (lines.write ? result_.l2_write : result_.l2_read) += static_cast<double>(access.bytes());
  return traffic;
}

// What a step finds in the L2, and what it puts there.
void Device::look_up(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.traffic = {};
  for (std::uint32_t i = 0; i < w.step.count; ++i) {
    const StepAccess& what = w.step.accesses[i];
    const L2Traffic found = access(what, OpId{task_of(worker).op});
    w.record.l2 += found;
    w.traffic.hbm += hbm_of(found) / cost_.part_of_rate(w.step, what);
    if (what.l2.write) continue;
    w.traffic.slow[i] = std::min(static_cast<double>(what.bytes()), static_cast<double>(found.hbm_read));
    if (w.step.cube) w.traffic.slow[i] = std::max(w.traffic.slow[i], on_its_way(engine, worker, what));
    if (worker < ssc_.workers(QueueType::kCtq) && i < 2)
      fetching_[2 * worker + i] = w.traffic.slow[i] > 0 ? what.place_hash() : 0;
  }
}

// Bytes of a panel that another core is fetching just now: whoever reads the panel too goes at its pace.
double Device::on_its_way(Engine& engine, std::uint32_t worker, const StepAccess& access) const {
  const std::uint32_t hash = access.place_hash();
  std::uint32_t found = 0;  // nearly always nothing: a loop without branches tells
  for (const std::uint32_t of : fetching_) found |= static_cast<std::uint32_t>(of == hash);
  if (!found) return 0;
  double most = 0;
  for (std::uint32_t f = 0; f < fetching_.size(); ++f) {
    const std::uint32_t other = f / 2, i = f % 2;
    if (fetching_[f] != hash || other == worker) continue;
    const Worker& w = workers_[other];
    if (w.traffic.slow[i] <= most || !w.step.accesses[i].same_place(access)) continue;
    most = std::max(most, w.traffic.slow[i] * memory_.left(engine.now(), other));
  }
  return most;
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
  for (const std::uint32_t worker : ended_) end_step(engine, worker);
}

void Device::end_step(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  const MemoryLoss& loss = memory_.loss(worker);
  for (std::uint32_t r = 0; r < kResources; ++r) w.record.lost[r] += loss.lost[r];
  w.traffic.slow.fill(0);
  start_step(engine, worker);
}

void Device::finish(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.record.end = engine.now();
  if (!w.puts) {
    if (options_.hooks) options_.hooks->ended(ssc_.rank(), w.task);
    w.record.done = engine.now();
    w.record.visible = engine.now() + hardware().runtime.local_visibility;
    trigger(engine, task_of(worker), w.record.visible);
  }
  w.puts = false;
  result_.end = std::max(result_.end, engine.now().time_since_epoch());
  result_.busy[worker < ssc_.workers(QueueType::kCtq) ? 0 : 1] += w.record.end - w.record.start;
  if (options_.record) {
    w.record.arithmetic = cost_.arithmetic(w.work);
    w.record.operations = w.work.operations();
    result_.records[w.task] = w.record;
  }
  ++finished_;
  execution_->worker_is_free(engine, worker);
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

std::string Device::waits(std::uint32_t task, std::uint32_t worker) const {
  const TaskDescriptor& td = ssc_.tasks()[task];
  const std::uint32_t cubes = ssc_.workers(QueueType::kCtq);
  const std::string who = worker == kNone ? ""
                                          : fmt::format(" {} {}", worker < cubes ? "AIC" : "AIV",
                                                        worker < cubes ? worker : worker - cubes);
  return fmt::format("\n  rank {}{}: task {} ({} {}) waits for event {}: {} of {}", index(ssc_.rank()), who,
                     task, ssc_.operators()[td.op].name, td.task_index, td.dependent_event,
                     event_counts_[td.dependent_event], ssc_.events()[td.dependent_event].threshold);
}

RankResult Device::take_result() {
  result_.tasks = finished_;
  result_.l2 = l2_.total();
  for (std::uint32_t op = 0; op < operators_.size(); ++op) result_.l2_by_op.push_back(l2_.total(OpId{op}));
  if (const auto* pieces = dynamic_cast<const PieceL2*>(&l2_)) {
    for (std::uint32_t consumer = 0; consumer < operators_.size(); ++consumer) {
      for (std::uint32_t producer = 0; producer < operators_.size(); ++producer) {
        result_.l2_reused.push_back(pieces->reused(OpId{producer}, OpId{consumer}));
      }
    }
  }
  return std::move(result_);
}

}  // namespace a3sim
