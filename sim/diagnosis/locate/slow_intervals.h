#pragma once

#include <vector>

#include "sim/diagnosis/locate/locator.h"

namespace a3sim {

// Groups slow steps into intervals that are slow in one way. Another interval begins where slow steps had stopped,
// where the first suspect changes for good, where a rank begins or ceases to be suspect, and where the lost time
// moves to another level: there another fault begins, or ends, or the same one has grown. Steps that
// lose much more again and again are an interval of their own, beside the steps between them.
std::vector<std::vector<StepVerdict>> slow_intervals(const std::vector<StepVerdict>& slow,
                                                     const LocateLimits& limits);

}  // namespace a3sim
