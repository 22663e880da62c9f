#include <fmt/format.h>

#include <utility>

#include "sim/network/topologies/tree_config.h"

namespace a3sim {
namespace {

// Reads `{kind: fat_tree, copies: 7, levels: [{name: leaf, down: 16, rate: 28 GB/s}, {name: spine, down: 48,
// up: 16, rate: 28 GB/s}]}`, from the hosts up. A switch has `down` hosts or switches below it. Each of these
// has `up` parents at that level, and `cables` to each parent.
std::unique_ptr<CableLayout> read_fat_tree(const Config& config) {
  std::vector<TreeLevel> levels;
  for (const Config& level : config.maps("levels")) {
    TreeLevel read;
    read.name = level.text("name", fmt::format("switch{}_", levels.size() + 1));
    read.down = static_cast<std::uint32_t>(level.integer("down", 1, kMostHosts));
    read.up = static_cast<std::uint32_t>(level.integer("up", 1, kMostWays, 1));
    read.cables = static_cast<std::uint32_t>(level.integer("cables", 1, kMostWays, 1));
    read.rate = level.rate("rate");
    level.finish();
    levels.push_back(std::move(read));
  }
  const auto copies = static_cast<std::uint32_t>(config.integer("copies", 1, kMostWays, 1));
  if (levels.empty()) {
    config.error("levels", "expected a list of levels, from the hosts up, each with down and rate");
    return nullptr;
  }
  return make_tree(config, "levels", std::move(levels), copies);
}

A3SIM_REGISTER(TopologyKind, "fat_tree", "levels of switches, each with several parents and cables",
               TopologyKind{read_fat_tree});

}  // namespace
}  // namespace a3sim
