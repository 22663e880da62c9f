#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/radix_heap.h"
#include "sim/core/units.h"

namespace a3sim {

class Engine;

// Receives events when they are due. `arg` is the argument that was scheduled. A handler must outlive the
// engine's run.
class EventHandler {
 public:
  virtual void on_event(Engine& engine, std::uint32_t arg) = 0;
  // Called for settle(). Handlers that never call settle() need not override it.
  virtual void on_settle(Engine& /*engine*/, std::uint32_t /*arg*/) {}

 protected:
  ~EventHandler() = default;

 private:
  friend class Engine;
  static constexpr std::uint32_t kUnserved = 0xffff'ffff;
  // Index in the engine that served it last; checked before use.
  std::uint32_t engine_slot_ = kUnserved;
};

// The discrete-event engine. Single-threaded; time starts at 0. Events run by time. Events of one time run in
// rounds: the first round holds those scheduled before that time, the next round those scheduled during the
// first, and so on. Within a round events run by handler, in the order in which the engine got to know the
// handlers, then by argument. The order of calls to schedule() has no influence.
class Engine {
 public:
  // The latest time of a run. Sums of such times over 50,000 workers still fit a Duration.
  static constexpr Duration kLongest{100'000'000'000'000};

  // Makes an engine at time 0. `longest` may exceed the default if there are fewer workers.
  explicit Engine(Duration longest = kLongest) : latest_(longest) {}

  // Registers a handler. The order of registration is the order of handlers within a round.
  void know(EventHandler& handler) { slot_of(handler); }

  // Returns the time of the current or last event.
  Time now() const { return Time(Duration(static_cast<std::int64_t>(queue_.last()))); }

  // Calls handler.on_event(*this, arg) at `at`. Throws std::logic_error if `at` is before now().
  void schedule(Time at, EventHandler& handler, std::uint32_t arg) {
    if (at < now()) refuse_past(at);
    queue_.push(static_cast<std::uint64_t>(at.time_since_epoch().count()), {slot_of(handler), arg});
  }

  // Calls handler.on_settle(*this, arg) at the current time when no event of this time is left. Repeated
  // requests before the call count once. Settles run in the order of their first request. A settle may
  // schedule events at this time, which run before the next settle, and may request itself again.
  void settle(EventHandler& handler, std::uint32_t arg);

  // Runs until no event is left or stop() is called. Exceptions of handlers pass through and leave the engine
  // usable.
  void run();

  // Makes run() return after the current handler. Another run() continues.
  void stop() { stopped_ = true; }
  // True if stop() ended the last run().
  bool stopped() const { return stopped_; }

  // Returns the number of events executed, without settles.
  std::uint64_t events() const { return events_; }

 private:
  struct Call {
    std::uint32_t slot;  // index of the handler, so that an event takes 16 bytes
    std::uint32_t arg;
  };

  [[noreturn]] void refuse_past(Time at) const;
  std::uint32_t add_slot(EventHandler& handler);
  std::uint32_t slot_of(EventHandler& handler) {
    const std::uint32_t slot = handler.engine_slot_;
    if (slot < served_.size() && served_[slot].handler == &handler) return slot;
    return add_slot(handler);
  }
  void run_settle();
  // Takes the next round of events from the queue.
  void gather();

  // A handler, and, for each `arg`, whether a settle is pending.
  struct Served {
    EventHandler* handler;
    std::vector<std::uint8_t> asked;
  };

  RadixHeap<Call> queue_;
  std::vector<Call> round_;  // events of this time, in order
  std::size_t next_ = 0;     // the first event that has not run
  std::vector<Served> served_;
  std::vector<Call> settles_;    // requests of this time, in order
  std::size_t next_settle_ = 0;  // the first request that has not run
  std::uint64_t events_ = 0;
  Time latest_;
  bool stopped_ = false;
};

}  // namespace a3sim
