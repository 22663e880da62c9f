#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/dependencies.h"

namespace a3sim {

// The connected components of the graph (producer side of a group) - (consumer side of a group), numbered by
// their first consumer.
struct Components {
  std::vector<std::uint32_t> waits_for;  // by group: the component that it consumes from, or kNone
  std::vector<std::uint32_t> counts_in;  // by group: the component that it produces into, or kNone
  std::uint32_t count = 0;

  explicit Components(const Dependencies& dependencies);

  // By component: whether it lies on a circle of components, each of which has a consumer that produces into
  // the next.
  std::vector<bool> on_circles() const;
};

}  // namespace a3sim
