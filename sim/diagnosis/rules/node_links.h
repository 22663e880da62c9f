#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/diagnosis/rules/link_rates.h"

namespace a3sim {

// Joins links that end at all ranks of a node into the ports of the node. Of ranks that were recorded with few others, a
// slow port looks like some slow paths. A node is named if on one side of its ports each rank whose transfers to or from
// other nodes were seen is slow, about as slow as the others, and if these are at least two and half of its ranks.
// `nodes` has one entry per rank, or is empty.
void join_nodes(std::span<const std::uint32_t> nodes, const LinkRates& rates, std::vector<SlowLink>& links);

}  // namespace a3sim
