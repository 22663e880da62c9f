#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/compile/dependencies.h"

namespace a3sim {

// The connected components of the graph (producer side of a group) - (consumer side of a group), numbered by
// their first consumer.
struct Components {
  std::vector<std::uint32_t> waits_for;  // by group: the component that it consumes from, or kNone
  std::vector<std::uint32_t> counts_in;  // by group: the component that it produces into, or kNone
  std::uint32_t count = 0;

  explicit Components(const Dependencies& dependencies);

  // Pairs of tasks of which one waits for the other where a component is an event.
  std::uint64_t pairs(const Dependencies& dependencies) const;

  // Whether whoever waits for a component is of a later stage than all that count into it. Then no circle closes: from
  // component to component the latest stage of those that count into it rises. And if they are of a rank's dependencies,
  // no chain over other ranks implies one of these: where c depends on p, and on q, which depends on p by way of y, both
  // c and y wait for the component of p, into which q counts, and q is not before y.
  bool rise(const Dependencies& dependencies, std::span<const OperatorInfo> operators) const;

  // By component: whether it lies on a circle of components, each of which has a consumer that produces into
  // the next.
  std::vector<bool> on_circles() const;
};

}  // namespace a3sim
