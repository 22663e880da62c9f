#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/engine.h"

namespace a3sim {

// The ranks that run a schedule: they meet before a collective begins and after it has ended.
class Group {
 public:
  // `farthest`: how long a signal takes between the two ranks that are farthest apart.
  explicit Group(Duration farthest) : farthest_(farthest) {}
  void join(EventHandler& member) { members_.push_back(&member); }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(members_.size()); }
  Duration farthest() const { return farthest_; }

  // One rank has come. When all have, each member's on_event() is called `delay` later, with `value`: the
  // same of all.
  void arrive(Engine& engine, Duration delay, std::uint32_t value) {
    if (++arrived_ < ranks()) return;
    arrived_ = 0;
    for (EventHandler* member : members_) engine.schedule(engine.now() + delay, *member, value);
  }

 private:
  Duration farthest_;
  std::vector<EventHandler*> members_;
  std::uint32_t arrived_ = 0;
};

}  // namespace a3sim
