#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/core/engine.h"
#include "sim/core/ids.h"
#include "sim/runtime/cause.h"
#include "sim/runtime/rank_waits.h"

namespace a3sim {

// The ranks that run a schedule. They meet before a collective begins and after it has ended.
class Group {
 public:
  // `farthest` is the latency of a signal between the two ranks that are farthest apart. `ranks` may exceed
  // the number of members, which then represent the others.
  Group(Duration farthest, std::uint32_t ranks) : farthest_(farthest), ranks_(ranks) {}
  // Adds a member. Members must join in the order of their ranks.
  void join(EventHandler& member) {
    members_.push_back(&member);
    came_.emplace_back();
    came_from_.emplace_back();
    waits_.emplace_back();
  }
  std::uint32_t ranks() const { return ranks_; }
  Duration farthest() const { return farthest_; }

  // Notes that a rank has come. When all have, calls each member's on_event(`value`) after `delay`; `value`
  // must be the same for all. `from` is what the rank did last, if that is recorded.
  void arrive(Engine& engine, RankId rank, Duration delay, std::uint32_t value, const Cause& from = {}) {
    came_[index(rank)] = engine.now();
    came_from_[index(rank)] = from;
    if (++arrived_ < members_.size()) return;
    arrived_ = 0;
    last_came_from_ = came_from_[static_cast<std::size_t>(std::ranges::max_element(came_) - came_.begin())];
    for (std::size_t r = 0; r < members_.size(); ++r) waits_[r].add(engine.now() - came_[r], index(rank));
    for (EventHandler* member : members_) engine.schedule(engine.now() + delay, *member, value);
  }

  // Return when the rank came to the last meeting, and what the last rank to come (the first of several) did
  // before.
  Time came(RankId rank) const { return came_[index(rank)]; }
  const Cause& last_came_from() const { return last_came_from_; }
  // Returns how long a rank has waited for the last ones to come.
  const RankWaits& waits(RankId rank) const { return waits_[index(rank)]; }

 private:
  Duration farthest_;
  std::uint32_t ranks_;
  std::vector<EventHandler*> members_;
  std::vector<Time> came_;        // by rank, at the last meeting
  std::vector<Cause> came_from_;  // by rank
  Cause last_came_from_;
  std::vector<RankWaits> waits_;
  std::uint32_t arrived_ = 0;
};

}  // namespace a3sim
