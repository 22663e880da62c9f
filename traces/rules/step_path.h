#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// What a step's critical path is made of, that with most of its time first: exactly, where the source knows it; else by its
// records alone. Empty where neither tells it: not all ranks were recorded, or operators overlap.
std::vector<PathPart> path_of(const Observation& of, const FullStep& step);

// The operators that the critical paths of these steps have; empty: no path is known.
std::set<std::uint32_t> operators_on_path(const Observation& of, const std::vector<FullStep>& steps);

}  // namespace a3sim
