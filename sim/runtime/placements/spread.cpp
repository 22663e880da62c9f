#include <fmt/format.h>

#include "sim/runtime/placements/host_placement.h"

namespace a3sim {
namespace {

// `{kind: spread, group: 8, dies: 64}`: takes one die of each group (a node, or the dies of a switch) in
// turn, so that neighbouring ranks lie apart.
std::vector<std::uint32_t> place_spread(const Config& config, std::uint32_t ranks) {
  const std::uint32_t dies = read_dies(config, ranks);
  const auto group = static_cast<std::uint32_t>(config.integer("group", 1, dies));
  if (dies % group != 0)
    config.error("dies", fmt::format("{} dies are no whole number of groups of {}", dies, group));
  const std::uint32_t groups = std::max(1U, dies / std::max(1U, group));
  std::vector<std::uint32_t> placed;
  for (std::uint32_t r = 0; r < ranks; ++r) placed.push_back(r % groups * group + r / groups);
  return placed;
}

A3SIM_REGISTER(HostPlacement, "spread", "one rank under each node or switch in turn",
               HostPlacement{place_spread});

}  // namespace
}  // namespace a3sim
