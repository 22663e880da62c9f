#pragma once

#include "sim/study/sweep/sweep_file.h"

namespace a3sim {

// A sweep's points by their place on its axes: at [axis] the position of a value.
using SweepPosition = std::vector<std::uint32_t>;

// All positions of the axes' product without those that are excluded, the last dimension's values running
// fastest. Throws InputError for an exclusion that matches nothing, and where all points are excluded.
std::vector<SweepPosition> positions_of(const SweepSpec& spec);

// "ep=8, order=full".
std::string describe(const SweepSpec& spec, const SweepPosition& position);

}  // namespace a3sim
