#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/core/engine.h"
#include "sim/core/ids.h"
#include "sim/runtime/cause.h"
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
    came_from_.emplace_back();
    waits_.emplace_back();
  }
  std::uint32_t ranks() const { return ranks_; }
  Duration farthest() const { return farthest_; }

  // A rank has come. When all have, each member's on_event() is called `delay` later, with `value`: the
  // same of all. `from`: what the rank did last, if that is recorded.
  void arrive(Engine& engine, RankId rank, Duration delay, std::uint32_t value, const Cause& from = {}) {
    came_[index(rank)] = engine.now();
    came_from_[index(rank)] = from;
    if (++arrived_ < members_.size()) return;
    arrived_ = 0;
    last_came_from_ = came_from_[static_cast<std::size_t>(std::ranges::max_element(came_) - came_.begin())];
    for (std::size_t r = 0; r < members_.size(); ++r) waits_[r].add(engine.now() - came_[r], index(rank));
    for (EventHandler* member : members_) engine.schedule(engine.now() + delay, *member, value);
  }

  // When the rank came to the last meeting, and what the last to come did before; the first of several.
  Time came(RankId rank) const { return came_[index(rank)]; }
  const Cause& last_came_from() const { return last_came_from_; }
  // What a rank has waited for the last to come.
  const RankWaits& waits(RankId rank) const { return waits_[index(rank)]; }

 private:
  Duration farthest_;
  std::uint32_t ranks_;
  std::vector<EventHandler*> members_;
  std::vector<Time> came_;        // by rank, to the last meeting
  std::vector<Cause> came_from_;  // by rank
  Cause last_came_from_;
  std::vector<RankWaits> waits_;
  std::uint32_t arrived_ = 0;
};

}  // namespace a3sim
