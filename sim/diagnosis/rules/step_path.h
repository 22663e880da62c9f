#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/diagnosis/locate/episodes.h"

namespace a3sim {

// Operators on a step's critical path, that with most of its time first; shares of all of it.
struct PathParts {
  struct Part {
    std::string op;
    std::uint32_t rank = 0;
    double share = 0;
  };
  std::uint32_t step = 0;
  bool exact = false;  // not inferred from records
  std::vector<Part> parts;
};

// The operators that the critical paths of these steps have; empty: no path is known.
std::set<std::uint32_t> operators_on_path(const Observation& of, const std::vector<FullStep>& steps);

// What the critical path of a step is made of: of a slow step, if one was recorded in full of all
// ranks, else of a usual one. None where there is no such step, or where its path is not known.
std::optional<PathParts> path_parts(const Observation& of, const Located& located);

}  // namespace a3sim
