#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/engine.h"
#include "sim/device/hardware.h"
#include "sim/memory/memory.h"
#include "sim/runtime/fabric.h"
#include "sim/runtime/port_load.h"

namespace a3sim {

// One rank's memory and its end of the links, for tasks of streams. A job uses a slot of the memory, a
// transfer a slot of the links.
class StreamDevice final : public FabricEnd, public EventHandler {
 public:
  // The owner of the tasks; it is told when their work ends.
  class Owner {
   public:
    virtual void job_has_ended(Engine& engine, std::uint32_t rank, std::uint32_t slot) = 0;
    virtual void transfer_has_left(Engine& engine, std::uint32_t rank, std::uint32_t slot) = 0;

   protected:
    ~Owner() = default;
  };

  // `jobs` and `transfers` are the numbers of slots: how many may run at once. The other arguments must
  // outlive the device.
  StreamDevice(std::uint32_t rank, std::uint32_t jobs, std::uint32_t transfers,
               const Hardware::MemorySystem& memory, Fabric& fabric, Owner& owner);

  void start_job(Engine& engine, std::uint32_t slot, const MemoryJob& job);
  // Starts a flow of bytes to `destination`: they are read from this memory and written to the other.
  void start_transfer(Engine& engine, std::uint32_t slot, const Fabric::Put& put, StreamDevice& destination);

  const MemoryLoss& loss(std::uint32_t slot) const { return memory_.loss(slot); }
  std::uint64_t sent() const { return sent_; }
  // Returns the bytes that jobs have moved, by resource.
  const std::array<double, kResources>& moved() const { return memory_.moved(); }

  void put_has_left(Engine& engine, std::uint32_t slot) override;
  const PortLoad& port_load() const override { return load_; }
  void reserve_for_puts(Engine& engine, double read, double write) override;
  void on_event(Engine& engine, std::uint32_t arg) override;
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  struct Running {
    double bytes = 0;
    StreamDevice* destination = nullptr;
  };

  // Tells the memory of jobs that end now, before anything else at this time.
  void take_ended(Engine& engine);
  void request_settle(Engine& engine);
  // Returns the bytes of reads that take the HBM as long as `bytes` that arrive.
  double hbm_of_arriving(double bytes) const { return spec_.as_reads(0, bytes); }

  std::uint32_t rank_;
  const Hardware::MemorySystem& spec_;
  Fabric& fabric_;
  Owner& owner_;
  Memory memory_;
  PortLoad load_{spec_};
  std::vector<Running> running_;  // by slot
  std::array<double, kResources> reserved_{};
  std::vector<std::uint32_t> ended_;
  Time memory_end_ = Time::max();
  bool settling_ = false;
  std::uint64_t sent_ = 0;
};

}  // namespace a3sim
