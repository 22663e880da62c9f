#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/radix_heap.h"
#include "sim/core/units.h"

namespace a3sim {

class Engine;

// Who is called when an event is due. `arg` is what was scheduled. A handler outlives the engine's run.
class EventHandler {
 public:
  virtual void on_event(Engine& engine, std::uint32_t arg) = 0;
  // Called for settle(); handlers that never ask for it need not override it.
  virtual void on_settle(Engine& /*engine*/, std::uint32_t /*arg*/) {}

 protected:
  ~EventHandler() = default;

 private:
  friend class Engine;
  static constexpr std::uint32_t kUnserved = 0xffff'ffff;
  // Where the engine that served it last keeps it; checked before use.
  std::uint32_t engine_slot_ = kUnserved;
};

// The discrete-event engine, on one thread. Time starts at 0. Events run by date, and those of one date in rounds:
// the first are all that were scheduled before it, the next what those scheduled at their own date, and so on. In
// a round they run by handler, in the order in which the engine got to know them, and then by argument: when one
// was scheduled decides nothing.
class Engine {
 public:
  // Handlers that are known before they schedule anything have their place among others by that.
  void know(EventHandler& handler) { slot_of(handler); }

  // The date of the event that runs, or ran last.
  Time now() const { return Time(Duration(static_cast<std::int64_t>(queue_.last()))); }

  // Calls handler.on_event(*this, arg) at `at`. Throws std::logic_error if `at` is before now().
  void schedule(Time at, EventHandler& handler, std::uint32_t arg) {
    if (at < now()) refuse_past(at);
    queue_.push(static_cast<std::uint64_t>(at.time_since_epoch().count()), {slot_of(handler), arg});
  }

  // Calls handler.on_settle(*this, arg) at this date as soon as no event of it is left
  // to run, once however often it is asked for until then. Settles run in the order in
  // which they were first asked for. One may schedule events at this date: they run
  // before the next settle. It may ask again, for itself too: that is a new request.
  void settle(EventHandler& handler, std::uint32_t arg);

  // Runs until nothing is left or stop() is called. What a
  // handler throws passes through; the engine stays usable.
  void run();

  // Makes run() return when the running handler does; another run() goes on from there.
  void stop() { stopped_ = true; }
  // Whether stop() ended the last run().
  bool stopped() const { return stopped_; }

  // Events executed so far; settles do not count.
  std::uint64_t events() const { return events_; }

 private:
  struct Call {
    std::uint32_t slot;  // of the handler; an index, so that an event takes 16 bytes
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

  // A handler, and by `arg` whether a settle is asked for.
  struct Served {
    EventHandler* handler;
    std::vector<std::uint8_t> asked;
  };

  RadixHeap<Call> queue_;
  std::vector<Call> round_;  // events of this date, in order
  std::size_t next_ = 0;     // the first of them that has not run
  std::vector<Served> served_;
  std::vector<Call> settles_;    // requests of this date, in order
  std::size_t next_settle_ = 0;  // the first that has not run
  std::uint64_t events_ = 0;
  bool stopped_ = false;
};

}  // namespace a3sim
