#include <algorithm>

#include "sim/runtime/device.h"

namespace a3sim {
namespace {

// The hundredth of each memory resource that Memory keeps for tasks is not the puts'.
constexpr double kMostOfMemory = 0.99;

}  // namespace

// Reads the source's memory and writes the destination's.
void Device::start_put(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.put = {ssc_.rank(), w.work.dst, Bytes{static_cast<std::int64_t>(w.work.put_bytes)}, true, w.slowness};
  w.puts = true;
  w.put_hbm_here = w.put_hbm_there = 0;
  if (w.put.bytes.count == 0) return put_has_left(engine, worker);
  Device& destination = *(*devices_)[index(w.put.dst)];
  const OpId op{task_of(worker).op};
  for (const Stream& stream : w.work.streams) {
    StepAccess whole;
    whole.l2.tensor = stream.tensor;
    whole.l2.rows = stream.rows;
    whole.l2.byte_end = static_cast<std::uint32_t>(stream.bytes / stream.rows.size());
    whole.l2.write = stream.write;
    const std::uint64_t row = whole.l2.byte_end;
    w.put.whole_lines &= stream.bytes % kL2Line == 0 && stream.rows.begin * row % kL2Line == 0;
    const L2Traffic found = (stream.write ? destination : *this).access(whole, op);
    w.record.l2 += found;
    (stream.write ? w.put_hbm_there : w.put_hbm_here) += hbm_of(found);
  }
  w.record.ideal = fabric_.startup() + fabric_.least(w.put);
  if (fabric_.startup() == Duration::zero()) return let_flow(engine, worker);
  schedule(engine, engine.now() + fabric_.startup(), Signal::kFlow, worker);
}

void Device::let_flow(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  const auto bytes = static_cast<double>(w.put.bytes.count);
  leaving_.bytes += bytes;
  leaving_.hbm += w.put_hbm_here;
  Device& destination = *(*devices_)[index(w.put.dst)];
  destination.arriving_.bytes += bytes;
  destination.arriving_.hbm += w.put_hbm_there;
  fabric_.start(engine, w.put, worker);
}

void Device::put_has_left(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  const Time visible = engine.now() + fabric_.latency(w.put.src, w.put.dst);
  w.record.done = engine.now();
  w.record.visible = visible;
  w.record.put_bytes = w.work.put_bytes;
  if (options_.hooks) options_.hooks->ended(ssc_.rank(), w.task);
  // A network takes ends that lie within the noise of doubles for one: a put alone may be a picosecond early.
  const Duration took = engine.now() - w.record.start;
  w.record.ideal = std::min(w.record.ideal, took);
  w.record.lost[static_cast<std::size_t>(Limit::kLink)] = took - w.record.ideal;
  w.record.ideal += fabric_.fence();
  Device& destination = *(*devices_)[index(w.put.dst)];
  if (const auto bytes = static_cast<double>(w.put.bytes.count); bytes > 0) {
    leaving_.bytes -= bytes;
    leaving_.hbm -= w.put_hbm_here;
    destination.arriving_.bytes -= bytes;
    destination.arriving_.hbm -= w.put_hbm_there;
    result_.sent += w.work.put_bytes;
    destination.result_.received += w.work.put_bytes;
  }
  result_.end = std::max(result_.end, visible.time_since_epoch());
  trigger(engine, task_of(worker), visible);
  schedule(engine, engine.now() + fabric_.fence(), Signal::kFree, worker);
}

double Device::served_part(double egress, double ingress) const {
  const Hardware::MemorySystem& memory = hardware().memory;
  const auto fits = [](BytesPerSecond capacity, double need) {
    return need > 0 ? kMostOfMemory * static_cast<double>(capacity.count) / need : 1;
  };
  const double hbm = egress * leaving_.part() + ingress * arriving_.part();
  return std::min(
      {1.0, fits(memory.hbm_read, hbm), fits(memory.l2_read, egress), fits(memory.l2_write, ingress)});
}

// Of all the puts that leave, each needs its part of the HBM; all together, at their rate, the mean of these.
void Device::reserve_for_puts(Engine& engine, double read, double write) {
  const double hbm = read * leaving_.part() + write * arriving_.part();
  const std::array<double, kResources> rates{read, write, hbm};
  if (rates == reserved_) return;
  take_ended(engine);
  reserved_ = rates;
  memory_.reserve(engine.now(), rates);
  request_settle(engine);
}

}  // namespace a3sim
