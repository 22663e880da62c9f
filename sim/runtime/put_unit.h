#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/operators/work.h"
#include "sim/core/engine.h"
#include "sim/device/portions.h"
#include "sim/memory/l2/l2.h"
#include "sim/memory/memory.h"
#include "sim/runtime/fabric.h"
#include "sim/runtime/port_load.h"
#include "sim/runtime/rank_waits.h"

namespace a3sim {

// A rank's end of the links: its workers' puts to other ranks and pulls from them, and the accesses of other
// ranks' workers to its memory. A put starts up, flows, and frees its worker after a fence. A pull does the
// same once its request has reached the other rank and the first byte has come back.
class PutUnit final : public FabricEnd, public EventHandler {
 public:
  // The device to which the unit belongs.
  class Owner {
   public:
    // Makes an access of an operator in the device's L2, and returns what it found.
    virtual L2Traffic access_of_put(TensorAccess access, OpId op) = 0;
    // Sets the memory bandwidth of puts from now on, by resource.
    virtual void reserve(Engine& engine, const std::array<double, kResources>& rates) = 0;
    // Called when a put's last byte has left. The byte and the signal are visible at the destination at
    // `visible`.
    virtual void put_has_left(Engine& engine, std::uint32_t worker, Time visible) = 0;
    // Called at the end of the put's fence.
    virtual void put_has_ended(Engine& engine, std::uint32_t worker) = 0;

   protected:
    ~Owner() = default;
  };

  // The durations and counts of a put.
  struct Outcome {
    Duration ideal{};    // the time alone on the links, with its fence
    Duration missing{};  // time in which a pull waits for rows that the other rank's L2 lacks
    Duration lost{};     // time lost to other puts
    L2Traffic l2;        // of both ends
  };

  PutUnit(RankId rank, std::uint32_t workers, const Hardware::MemorySystem& memory, Fabric& fabric,
          Owner& owner)
      : rank_(rank), memory_(memory), fabric_(fabric), owner_(owner), puts_(workers) {}
  // Sets the units of all devices. They must not move.
  void connect(std::span<PutUnit* const> units) { units_ = units; }

  // Starts a worker's put to another rank, or its pull from one, for the operator `op`. The sender runs at
  // its rate divided by `slowness`. If the worker is a copy engine, `copies` says how fast it is.
  void start(Engine& engine, std::uint32_t worker, const Work& work, OpId op, double slowness,
             const Hardware::CopyEngine* copies = nullptr);
  const Outcome& outcome(std::uint32_t worker) const { return puts_[worker].outcome; }
  // Returns the device that represents a rank.
  std::uint32_t device(std::uint32_t rank) const { return fabric_.topology().device(RankId{rank}); }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }
  // Returns the time in which it sent or received.
  Duration transfer() const { return transfer_.total(); }

  void put_has_left(Engine& engine, std::uint32_t worker) override;
  const PortLoad& port_load() const override { return load_; }
  void reserve_for_puts(Engine& engine, double read, double write) override;
  void on_event(Engine& engine, std::uint32_t arg) override;
  // Performs the accesses here of puts and pulls of other ranks that have started at this time.
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  // The meaning of an event's argument; its other bits are the worker.
  enum Signal : std::uint32_t { kFlow, kFenced };

  struct Running {
    Fabric::Put put{};
    Time started;
    double hbm_here = 0, hbm_there = 0;  // bytes of reads that take the HBM equally long, at both ends
    double under_way = 0;                // bytes of a write that are between its worker and the other rank
    bool flows_then = false;             // flows once the other rank has accepted it
    Duration fence{};                    // for which its worker stays busy behind it
    Outcome outcome;
    // The rank at the other end.
    RankId other() const { return put.pulled ? put.src : put.dst; }
  };
  // A write or read in this memory by another rank's worker. Accesses of one time are ordered by worker, then
  // by the distance of its rank around the group, so that no rank is special.
  struct Arrival {
    std::uint32_t worker, distance;
    PutUnit* source;
    OpId op;
    TensorAccess access;
  };
  PutUnit* unit_of(RankId rank) const { return units_[device(index(rank))]; }
  // Makes the access to this rank's memory, and asks the other rank for its access. Returns false if it has none to make:
  // some shares of a block have bytes but, of fewer rows than shares, no row.
  bool look_up(Engine& engine, std::uint32_t worker, const Work& work, OpId op);
  // Returns the bytes of reads that take the HBM as long as what an access of a put found.
  double hbm_of(Running& running, const L2Traffic& found) const;
  static double under_way(const Work& work);
  void let_flow(Engine& engine, std::uint32_t worker);
  // Adds bytes that flow from now on; with the sign -1, removes them.
  void move(const Running& running, double bytes, int sign);
  Duration there_and_back(const Running& running) const;
  void schedule(Engine& engine, Time at, Signal signal, std::uint32_t worker) {
    engine.schedule(at, *this, worker << 1 | signal);
  }

  RankId rank_;
  const Hardware::MemorySystem& memory_;
  Fabric& fabric_;
  Owner& owner_;
  std::span<PutUnit* const> units_;
  std::vector<Running> puts_;      // by worker
  std::vector<Arrival> arrivals_;  // of this time
  PortLoad load_{memory_};
  std::int64_t held_ = 0;  // bytes under way of puts that flow
  std::array<double, kResources> reserved_{};
  std::uint64_t sent_ = 0, received_ = 0;  // bytes
  BusyTime transfer_;
};

}  // namespace a3sim
