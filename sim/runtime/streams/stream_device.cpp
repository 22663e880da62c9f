#include "sim/runtime/streams/stream_device.h"

namespace a3sim {

StreamDevice::StreamDevice(std::uint32_t rank, std::uint32_t jobs, std::uint32_t transfers,
                           const Hardware::MemorySystem& memory, Fabric& fabric, Owner& owner)
    : rank_(rank),
      spec_(memory),
      fabric_(fabric),
      owner_(owner),
      memory_({static_cast<double>(memory.l2_read.count), static_cast<double>(memory.l2_write.count),
               static_cast<double>(memory.hbm_read.count)},
              jobs),
      running_(transfers) {}

void StreamDevice::start_job(Engine& engine, std::uint32_t slot, const MemoryJob& job) {
  take_ended(engine);
  memory_.start(engine.now(), slot, job);
  request_settle(engine);
}

void StreamDevice::start_transfer(Engine& engine, std::uint32_t slot, const Fabric::Put& put,
                                  StreamDevice& destination) {
  const auto bytes = static_cast<double>(put.bytes.count);
  running_[slot] = {bytes, &destination};
  load_.leave(bytes, bytes);
  destination.load_.arrive(bytes, destination.hbm_of_arriving(bytes));
  fabric_.start(engine, put, slot);
}

void StreamDevice::put_has_left(Engine& engine, std::uint32_t slot) {
  const auto [bytes, destination] = running_[slot];
  load_.leave(-bytes, -bytes);
  destination->load_.arrive(-bytes, -destination->hbm_of_arriving(bytes));
  sent_ += static_cast<std::uint64_t>(bytes);
  owner_.transfer_has_left(engine, rank_, slot);
}

void StreamDevice::reserve_for_puts(Engine& engine, double read, double write) {
  const std::array<double, kResources> rates = load_.rates(read, write);
  if (rates == reserved_) return;
  reserved_ = rates;
  take_ended(engine);
  memory_.reserve(engine.now(), rates);
  request_settle(engine);
}

void StreamDevice::on_event(Engine& engine, std::uint32_t) { take_ended(engine); }

void StreamDevice::take_ended(Engine& engine) {
  if (engine.now() != memory_end_) return;  // taken already, or predicted before speeds changed
  memory_end_ = Time::max();
  ended_.clear();
  memory_.advance(engine.now(), ended_);
  request_settle(engine);
  for (const std::uint32_t slot : ended_) owner_.job_has_ended(engine, rank_, slot);
}

void StreamDevice::request_settle(Engine& engine) {
  if (settling_) return;
  settling_ = true;
  engine.settle(*this, 0);
}

void StreamDevice::on_settle(Engine& engine, std::uint32_t) {
  settling_ = false;
  const Time next = memory_.settle(engine.now());
  if (next == memory_end_) return;
  memory_end_ = next;
  if (next != Time::max()) engine.schedule(next, *this, 0);
}

}  // namespace a3sim
