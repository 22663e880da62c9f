#include "sim/network/topologies/tree_config.h"

#include <fmt/format.h>

#include <utility>

namespace a3sim {

std::unique_ptr<CableLayout> make_tree(const Config& config, std::string_view key,
                                       std::vector<TreeLevel> levels, std::uint32_t copies,
                                       std::vector<std::uint32_t> places) {
  const double hosts = Tree::hosts_of(levels), cables = Tree::cables_of(levels, copies);
  double ways = copies;
  for (const TreeLevel& level : levels) ways *= static_cast<double>(level.up) * level.cables * level.cables;
  if (hosts > kMostHosts || cables > kMostCables) {
    config.error(key, fmt::format("{:.0f} hosts and {:.0f} cables, expected at most {} and {}", hosts, cables,
                                  kMostHosts, kMostCables));
    return nullptr;
  }
  if (ways > kMostWays) {
    config.error(
        key, fmt::format("{:.0f} ways between two hosts, expected at most {}: fewer 'up' or 'cables'", ways,
                         kMostWays));
    return nullptr;
  }
  return std::make_unique<Tree>(std::move(levels), copies, std::move(places));
}

}  // namespace a3sim
