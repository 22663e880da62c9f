#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Consecutive tasks of one operator on one rank with the same predecessors and the same successors: the
// shares of a tile. Dependencies are stored between groups, so that the 25 x 25 pairs of two operators on a
// tile take one entry.
struct TaskGroup {
  std::uint32_t rank;
  std::uint32_t op;
  std::uint32_t first, count;  // in the rank's task table
};

// Every task of group `consumer` waits for every task of group `producer`.
struct Dependency {
  std::uint32_t consumer, producer;
  friend auto operator<=>(const Dependency&, const Dependency&) = default;
};

// The dependencies between tasks that follow from the bytes that they read and write.
class Dependencies {
 public:
  // Finds the dependencies of a taskflow. A task depends on the tasks whose outputs overlap its inputs
  // (Footprint) in the same tensor and the same rank's memory. No task waits for metadata and external
  // tensors.
  static Dependencies find(const TaskflowView& taskflow);
  // Takes edges in any order.
  Dependencies(std::vector<TaskGroup> groups, std::vector<Dependency> edges);

  // Returns the groups, sorted by rank, then task. Groups that were added later come last.
  std::span<const TaskGroup> groups() const { return groups_; }
  // Returns the edges, sorted by consumer, then producer, without duplicates.
  std::span<const Dependency> edges() const { return edges_; }
  // Returns the edges of one consumer.
  std::span<const Dependency> of_consumer(std::uint32_t group) const {
    return edges().subspan(offsets_[group], offsets_[group + 1] - offsets_[group]);
  }
  // Returns the number of (consumer, producer) pairs of tasks.
  std::uint64_t pairs() const;

  // Adds a group of one task without edges, and returns its index.
  std::uint32_t add_group(std::uint32_t rank, std::uint32_t op, std::uint32_t task);
  // Replaces all edges. `edges` may be in any order.
  void set_edges(std::vector<Dependency> edges);

 private:
  std::vector<TaskGroup> groups_;
  std::vector<Dependency> edges_;
  std::vector<std::uint32_t> offsets_;  // one offset into edges_ per consumer, and the end
};

}  // namespace a3sim
