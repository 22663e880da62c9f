#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/compile/access_sweep.h"
#include "scheduler/compile/dependencies.h"
#include "scheduler/compile/reduction.h"

namespace a3sim {

// Finds dependencies rank by rank, without a graph of the whole group: tasks wait for the contents of their
// rank's memory, which only the rank's tasks and puts of other ranks write.
class RankDependencies {
 public:
  // The tables of all ranks in `taskflow` must outlive it.
  explicit RankDependencies(const TaskflowView& taskflow);

  // Returns whether these are all dependencies of the group. This holds if tasks read their own rank's memory
  // only, and each writes the memory of one rank; if that is another rank, whole rows of one tensor.
  bool complete() const { return complete_; }

  // Returns the dependencies of a rank's groups, without those that others of them imply; chains over other
  // ranks may imply more (Components::rise). Puts of other ranks into memory that is read here follow the
  // rank's groups, each as its own group: `first` is the put's number, `rank` is kNone.
  Dependencies find(std::uint32_t rank);

  // Returns the number of a rank's first put. Tasks whose results are on other ranks are numbered by rank,
  // then task.
  std::uint32_t first_put(std::uint32_t rank) const { return first_put_[rank]; }
  std::uint32_t puts() const { return first_put_.back(); }

 private:
  // A put, as seen by the rank whose memory it writes.
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
  std::vector<std::uint32_t> first_put_ = {0};  // one entry per rank, and the end
  std::vector<std::vector<Arrival>> arrivals_;  // one list per rank
};

}  // namespace a3sim
