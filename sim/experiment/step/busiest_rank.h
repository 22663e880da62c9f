#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// The rank of an expert-parallel group that gets most rows, and for which the others wait.
struct BusiestRank {
  std::uint32_t rank = 0;
  double over_mean = 1;             // its rows, over the mean of ranks
  std::vector<std::uint32_t> rows;  // one entry per local expert
};

// Returns the busiest rank under the experiment's routing; nullopt if the routing is balanced.
std::optional<BusiestRank> busiest_rank(const Experiment& experiment);

}  // namespace a3sim
