#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/engine.h"
#include "sim/core/ids.h"
#include "sim/runtime/rank_waits.h"

namespace a3sim {

// The ranks that run a schedule: they meet before a collective begins and after it has ended.
class Group {
 public:
  // `farthest`: how long a signal takes between the two ranks that are farthest apart. Members may stand for more
  // ranks than they are.
  Group(Duration farthest, std::uint32_t ranks) : farthest_(farthest), ranks_(ranks) {}
  // Members join in the order of their ranks.
  void join(EventHandler& member) {
    members_.push_back(&member);
    came_.emplace_back();
    waits_.emplace_back();
  }
  std::uint32_t ranks() const { return ranks_; }
  Duration farthest() const { return farthest_; }

  // A rank has come. When all have, each member's on_event() is called `delay` later, with `value`: the
  // same of all.
  void arrive(Engine& engine, RankId rank, Duration delay, std::uint32_t value) {
    came_[index(rank)] = engine.now();
    if (++arrived_ < members_.size()) return;
    arrived_ = 0;
    for (std::size_t r = 0; r < members_.size(); ++r) waits_[r].add(engine.now() - came_[r], index(rank));
    for (EventHandler* member : members_) engine.schedule(engine.now() + delay, *member, value);
  }

  // What a rank has waited for the last to come.
  const RankWaits& waits(RankId rank) const { return waits_[index(rank)]; }

 private:
  Duration farthest_;
  std::uint32_t ranks_;
  std::vector<EventHandler*> members_;
  std::vector<Time> came_;
  std::vector<RankWaits> waits_;
  std::uint32_t arrived_ = 0;
};

}  // namespace a3sim
