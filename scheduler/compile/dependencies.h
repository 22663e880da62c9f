#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/ssc/taskflow_view.h"

namespace a3sim {

// Tasks of one operator on one rank that stand behind one another in the task table, depend on the same
// tasks, and have the same tasks depend on them: the shares of a tile. Dependencies are kept between groups:
// the 25 x 25 pairs of two operators on a tile are one.
struct TaskGroup {
  std::uint32_t rank;
  std::uint32_t op;
  std::uint32_t first, count;  // in the rank's task table
};

// Every task of `consumer` waits for every task of `producer` (positions in the group table).
struct Dependency {
  std::uint32_t consumer, producer;
  friend auto operator<=>(const Dependency&, const Dependency&) = default;
};

// Which tasks must wait for which, from the bytes that they read and write.
class Dependencies {
 public:
  // A task depends on those whose outputs overlap its inputs (Footprint): same tensor, same rank's memory.
  // Metadata and external tensors are waited for by nobody.
  static Dependencies of(const TaskflowView& taskflow);
  // The edges in any order.
  Dependencies(std::vector<TaskGroup> groups, std::vector<Dependency> edges);

  // Sorted by rank, then task; groups that are added later stand behind.
  std::span<const TaskGroup> groups() const { return groups_; }
  // Sorted by consumer, then producer; none twice.
  std::span<const Dependency> edges() const { return edges_; }
  // Those of one consumer.
  std::span<const Dependency> of_consumer(std::uint32_t group) const {
    return edges().subspan(offsets_[group], offsets_[group + 1] - offsets_[group]);
  }
  // (consumer, producer) pairs of tasks.
  std::uint64_t pairs() const;

  // Adds a group of one task, without edges. Its position.
  std::uint32_t add_group(std::uint32_t rank, std::uint32_t op, std::uint32_t task);
  // Takes these edges, in any order, for all that there are.
  void set_edges(std::vector<Dependency> edges);

 private:
  std::vector<TaskGroup> groups_;
  std::vector<Dependency> edges_;
  std::vector<std::uint32_t> offsets_;  // into edges_, by consumer; one more than groups
};

}  // namespace a3sim
