#pragma once

#include <utility>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// Stretches of time in a plain list: for many of them, where sets of intervals (times.h) would be slow.
using Stretches = std::vector<std::pair<Duration, Duration>>;

// One after the other, those that touch made one.
void unite(Stretches& stretches);

// How much time they take together; they are united.
Duration length_of(const Stretches& stretches);

// How much of [start, end] lies in stretches of either of two united lists.
Duration covered(const Stretches& a, const Stretches& b, Duration start, Duration end);
// The part of it that does; of no time: 0.
float part_covered(const Stretches& a, const Stretches& b, Duration start, Duration end);

}  // namespace a3sim
