#pragma once

#include <string>
#include <vector>

#include "traces/critical_path.h"

namespace a3sim {

// The blame of one run's critical path less that of another's, by operators' names: those of both, the first
// run's first. Sums exactly to the difference of the makespans.
struct BlameDifference {
  std::vector<std::string> operators;
  std::vector<BlameTimes> blame;  // by operator
};

BlameDifference blame_difference(const Trace& a, const CriticalPath& of_a, const Trace& b,
                                 const CriticalPath& of_b);

}  // namespace a3sim
