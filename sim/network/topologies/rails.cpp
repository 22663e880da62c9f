#include <fmt/format.h>

#include <utility>

#include "sim/network/topologies/tree_config.h"

namespace a3sim {
namespace {

// Reads `{kind: rails, node: 8, unit: 32, units: 2, spines: 8, cables: 1, rate: 50 GB/s}`. Device r of every
// node of a unit is plugged into leaf r of that unit, its rail. All leaves have cables to all spines. Hosts
// are numbered node by node.
std::unique_ptr<CableLayout> read_rails(const Config& config) {
  const auto node = static_cast<std::uint32_t>(config.integer("node", 1, 1024));
  const auto unit = static_cast<std::uint32_t>(config.integer("unit", 1, kMostHosts));
  const auto units = static_cast<std::uint32_t>(config.integer("units", 1, kMostHosts, 1));
  const auto spines = static_cast<std::uint32_t>(config.integer("spines", 1, kMostWays));
  const auto cables = static_cast<std::uint32_t>(config.integer("cables", 1, kMostWays, 1));
  const BytesPerSecond rate = config.rate("rate");
  if (static_cast<double>(node) * unit * units > kMostHosts) {
    config.error("units",
                 fmt::format("{} devices per node, {} nodes per unit, {} units: expected at most {} hosts",
                             node, unit, units, kMostHosts));
    return nullptr;
  }
  std::vector<std::uint32_t> places(std::size_t{node} * unit * units);
  for (std::uint32_t host = 0; host < places.size(); ++host) {
    const std::uint32_t rail = host % node, number = host / node;
    places[host] = (number / unit * node + rail) * unit + number % unit;
  }
  return make_tree(config, "units",
                   {{unit, 1, 1, rate, "rail"}, {units * node, spines, cables, rate, "spine"}}, 1,
                   std::move(places));
}

A3SIM_REGISTER(TopologyKind, "rails", "a leaf for each device of a node, shared by the nodes of a unit",
               TopologyKind{read_rails});

}  // namespace
}  // namespace a3sim
