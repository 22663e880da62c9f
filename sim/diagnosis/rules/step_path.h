#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/diagnosis/locate/episodes.h"

namespace a3sim {

// The operators on a step's critical path with their shares of it, the largest first.
struct PathParts {
  struct Part {
    std::string op;
    std::uint32_t rank = 0;
    double share = 0;
  };
  std::uint32_t step = 0;
  bool exact = false;  // recorded, not inferred
  std::vector<Part> parts;
};

// Returns the operators on the critical paths of these steps, or none if no path is known.
std::set<std::uint32_t> operators_on_path(const Observation& observation, const std::vector<FullStep>& steps);

// Returns the critical path of a slow step that was recorded in full on all ranks, or else of a usual one.
// Returns nullopt if there is no such step or its path is not known.
std::optional<PathParts> path_parts(const Observation& observation, const Located& located);

}  // namespace a3sim
