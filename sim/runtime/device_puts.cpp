#include <algorithm>

#include "sim/runtime/device.h"

namespace a3sim {

void Device::start_put(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  w.put_bytes = w.work.put_bytes;
  w.put_dst = index(w.work.dst);
  w.put_hbm_here = w.put_hbm_there = 0;
  if (w.put_bytes == 0) return put_has_left(engine, worker);
  Device& destination = *(*devices_)[w.put_dst];
  const OpId op{task_of(worker).op};
  for (const Stream& stream : w.work.streams) {
    StepAccess whole;
    whole.l2.tensor = stream.tensor;
    whole.l2.rows = stream.rows;
    whole.l2.byte_end = static_cast<std::uint32_t>(stream.bytes / stream.rows.size());
    whole.l2.write = stream.write;
    const L2Traffic found = (stream.write ? destination : *this).access(whole, op);
    w.record.l2 += found;
    (stream.write ? w.put_hbm_there : w.put_hbm_here) += hbm_of(found);
  }
  const auto bytes = static_cast<double>(w.put_bytes);
  leaving_.bytes += bytes;
  leaving_.hbm += w.put_hbm_here;
  destination.arriving_.bytes += bytes;
  destination.arriving_.hbm += w.put_hbm_there;
  const Bytes size{static_cast<std::int64_t>(w.put_bytes)};
  w.record.ideal = fabric_.least(size, w.slowness);
  fabric_.start(engine, ssc_.rank(), worker, w.work.dst, size, w.slowness);
}

void Device::put_has_left(Engine& engine, std::uint32_t worker) {
  Worker& w = workers_[worker];
  const Time visible = engine.now() + fabric_.hop_latency();
  if (options_.hooks) options_.hooks->ended(ssc_.rank(), w.task);
  w.record.lost[static_cast<std::size_t>(Limit::kLink)] = engine.now() - w.record.start - w.record.ideal;
  w.record.ideal += fabric_.fence();
  Device& destination = *(*devices_)[w.put_dst];
  const auto bytes = static_cast<double>(w.put_bytes);
  leaving_.bytes -= bytes;
  leaving_.hbm -= w.put_hbm_here;
  destination.arriving_.bytes -= bytes;
  destination.arriving_.hbm -= w.put_hbm_there;
  result_.sent += w.put_bytes;
  destination.result_.received += w.put_bytes;
  result_.end = std::max(result_.end, visible.time_since_epoch());
  trigger(engine, task_of(worker), visible);
  schedule(engine, engine.now() + fabric_.fence(), Signal::kFree, worker);
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
