#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/compile/access_sweep.h"
#include "scheduler/compile/dependencies.h"
#include "scheduler/compile/reduction.h"

namespace a3sim {

// Dependencies one rank after the other, so that no graph of the whole group is needed: tasks wait for what their
// rank's memory holds, and there they meet their rank's tasks and the puts of others.
class RankDependencies {
 public:
  // The tables of all ranks must outlive it.
  explicit RankDependencies(const TaskflowView& taskflow);

  // Whether they are all that the group's tasks wait for: tasks read their rank's memory only and write one rank's, if it
  // is another's whole rows of one tensor.
  bool complete() const { return complete_; }

  // What a rank's groups depend on, without what others of these dependencies imply; chains over other ranks may imply
  // more (Components::rise). Behind the groups stand, each as a group of its own, the puts of other ranks that write here
  // what is read: `first` is the put's number, `rank` none.
  Dependencies of(std::uint32_t rank);

  // Tasks whose results lie on other ranks are numbered through, by rank, then task: the first of a rank.
  std::uint32_t first_put(std::uint32_t rank) const { return first_put_[rank]; }
  std::uint32_t puts() const { return first_put_.back(); }

 private:
  // A put as the rank into whose memory it writes sees it.
  struct Arrival {
    Rows rows;
    std::uint32_t number, tensor;
    std::uint16_t op;
  };

  void deal(std::uint32_t rank);

  const TaskflowView& taskflow_;
  AccessSweep sweep_;
  Reduction reduction_;
  bool complete_ = true;
  std::vector<std::uint32_t> first_put_ = {0};  // by rank, and an end
  std::vector<std::vector<Arrival>> arrivals_;  // by rank
};

}  // namespace a3sim
