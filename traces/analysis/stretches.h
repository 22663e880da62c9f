#pragma once

#include <utility>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// Stretches of time in a plain list. Faster than sets of intervals (times.h) if there are many.
using Stretches = std::vector<std::pair<Duration, Duration>>;

// Sorts the stretches and merges those that touch.
void unite(Stretches& stretches);

// Returns the total time of united stretches.
Duration length_of(const Stretches& stretches);

// Returns how much of [start, end] is covered by either of two united lists.
Duration covered(const Stretches& a, const Stretches& b, Duration start, Duration end);
// Returns the covered share of [start, end]; 0 if that is empty.
float part_covered(const Stretches& a, const Stretches& b, Duration start, Duration end);

}  // namespace a3sim
