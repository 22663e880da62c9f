#pragma once

#include <cstdint>

#include "sim/core/units.h"

namespace a3sim {

class Engine;

// Who is called when an event is due. `arg` is what was scheduled.
class EventHandler {
 public:
  virtual void on_event(Engine& engine, std::uint32_t arg) = 0;

 protected:
  ~EventHandler() = default;
};

// The discrete-event engine: events run in order of (time, sequence of scheduling). Declared here as a contract; see
// radix_heap.h for the queue below it.
//
//   Time now() const;
//   void schedule(Time at, EventHandler& handler, std::uint32_t arg);   // at < now(): throws std::logic_error
//   void settle(EventHandler& handler, std::uint32_t arg);              // once, after all events of this date
//   void run();                                                         // until the queue is empty
//   std::uint64_t events() const;                                       // executed so far

}  // namespace a3sim
