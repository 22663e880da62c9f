#include <fmt/format.h>

#include <algorithm>

#include "sim/runtime/placements/host_placement.h"

namespace a3sim {
namespace {

// `{kind: by_switch, group: 8, ranks: 4, dies: 64}`: places `ranks` consecutive ranks on the first dies of
// each group (those of a switch, or a node), and the next ones on the next group.
std::vector<std::uint32_t> place_by_switch(const Config& config, std::uint32_t ranks) {
  const std::uint32_t dies = read_dies(config, ranks);
  const auto group = static_cast<std::uint32_t>(config.integer("group", 1, dies));
  const auto each = static_cast<std::uint32_t>(config.integer("ranks", 1, std::max(1U, group)));
  const std::uint32_t groups = (ranks + each - 1) / std::max(1U, each);
  if (groups * group > dies)
    config.error(
        "ranks",
        fmt::format("{} ranks, {} under each switch, need {} switches of {} dies: {} dies, expected at "
                    "most {}",
                    ranks, each, groups, group, groups * group, dies));
  std::vector<std::uint32_t> placed;
  for (std::uint32_t r = 0; r < ranks; ++r) placed.push_back(r / each * group + r % each);
  return placed;
}

A3SIM_REGISTER(HostPlacement, "by_switch", "so many ranks under each switch, one switch after the other",
               HostPlacement{place_by_switch});

}  // namespace
}  // namespace a3sim
