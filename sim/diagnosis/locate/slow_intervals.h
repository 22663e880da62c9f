#pragma once

#include <vector>

#include "sim/diagnosis/locate/locator.h"

namespace a3sim {

// Groups slow steps into intervals that are slow in one way. A new interval begins after slow steps had
// stopped, when the first suspect changes for good, when a rank begins or ceases to be suspect, and when the
// lost time moves to another level, be it of steps with usual ones between them. At such points another fault begins or ends, or the same one has grown.
// Repeated steps that lose much more form an interval of their own, beside the steps between them.
std::vector<std::vector<StepVerdict>> slow_intervals(const std::vector<StepVerdict>& slow,
                                                     const LocateLimits& limits);

}  // namespace a3sim
