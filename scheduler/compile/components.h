#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/compile/dependencies.h"

namespace a3sim {

// The connected components of the bipartite graph between producer sides and consumer sides of groups,
// numbered by their first consumer.
struct Components {
  std::vector<std::uint32_t> waits_for;  // one entry per group: the component that it waits for, or kNone
  std::vector<std::uint32_t> counts_in;  // one entry per group: the component that it triggers, or kNone
  std::uint32_t count = 0;

  explicit Components(const Dependencies& dependencies);

  // Returns the number of task pairs in which one waits for the other if every component is an event.
  std::uint64_t pairs(const Dependencies& dependencies) const;

  // Returns whether the tasks that wait for a component always have a later stage than those that trigger it.
  // Then no circle exists: the latest stage of the triggering tasks rises from component to component. If the
  // dependencies are those of one rank, no chain over other ranks implies any of them either: suppose c
  // depends on p and on q, and q depends on p through y. Then c and y both wait for the component of p, which
  // q triggers, so q is not before y.
  bool rise(const Dependencies& dependencies, std::span<const OperatorInfo> operators) const;

  // Returns one entry per component: true if it is on a circle of components, each with a consumer that
  // triggers the next.
  std::vector<bool> on_circles() const;
};

}  // namespace a3sim
