#include "sim/runtime/fabric.h"

#include <algorithm>
#include <limits>

#include "sim/runtime/device.h"

namespace a3sim {
namespace {

// What a port gives to puts: its own rate, as long as both ports leave tasks the hundredth of each memory
// resource that Memory keeps for them. Puts read the source's memory and write the destination's.
NetworkSpec ports_of(const Hardware& hardware, std::uint32_t ranks, double most) {
  constexpr double kMost = 0.99;
  const auto rate = [](BytesPerSecond r) { return static_cast<double>(r.count); };
  const double egress = std::min(most, rate(hardware.fabric.egress));
  const double ingress = std::min(most, rate(hardware.fabric.ingress));
  const Hardware::MemorySystem& memory = hardware.memory;
  const double part =
      std::min({1.0, kMost * rate(memory.hbm_read) / memory.as_reads(egress, ingress),
                kMost * rate(memory.l2_read) / egress, kMost * rate(memory.l2_write) / ingress});
  const auto scaled = [part](double r) {
    return BytesPerSecond{std::max<std::int64_t>(1, static_cast<std::int64_t>(r * part))};
  };
  return {std::vector(ranks, scaled(egress)), std::vector(ranks, scaled(ingress))};
}

}  // namespace

Fabric::Fabric(const Hardware& hardware, std::uint32_t ranks, std::uint32_t workers_per_rank,
               const NetworkBackend& backend, bool host_driven)
    : spec_(hardware.fabric),
      host_driven_(host_driven),
      cap_(host_driven ? hardware.collective.rate : hardware.fabric.put_per_worker),
      port_(std::min(
          {hardware.fabric.egress, hardware.fabric.ingress, host_driven ? cap_ : hardware.fabric.egress})),
      workers_per_rank_(workers_per_rank),
      network_(backend.create(
          ports_of(hardware, ranks,
                   host_driven ? static_cast<double>(cap_.count) : std::numeric_limits<double>::max()))) {}

void Fabric::start(Engine& engine, RankId src, std::uint32_t worker, RankId dst, Bytes bytes) {
  const std::uint32_t token = index(src) * workers_per_rank_ + worker;
  network_->start(engine.now(), {index(src), index(dst), bytes, cap_, token});
  request_settle(engine);
}

void Fabric::request_settle(Engine& engine) {
  if (settling_) return;
  settling_ = true;
  engine.settle(*this, 0);
}

void Fabric::on_event(Engine& engine, std::uint32_t) {
  if (engine.now() != next_end_) return;  // rates have changed since this end was foreseen
  next_end_ = Time::max();
  ended_.clear();
  network_->advance(engine.now(), ended_);
  for (const std::uint32_t token : ended_) {
    (*devices_)[token / workers_per_rank_]->put_has_left(engine, token % workers_per_rank_);
  }
  request_settle(engine);
}

void Fabric::on_settle(Engine& engine, std::uint32_t) {
  settling_ = false;
  if (const Time next = network_->next_end(); next != next_end_) {
    next_end_ = next;
    if (next != Time::max()) engine.schedule(next, *this, 0);
  }
  for (std::uint32_t r = 0; r < devices_->size(); ++r) {
    (*devices_)[r]->reserve_for_puts(engine, network_->egress_rate(r), network_->ingress_rate(r));
  }
}

}  // namespace a3sim
