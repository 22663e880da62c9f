#include <cmath>
#include <utility>

#include "sim/network/topologies/tree_config.h"

namespace a3sim {
namespace {

// Returns the rate from a leaf to each spine: that of the leaf's hosts, divided by the spines and the
// oversubscription.
BytesPerSecond uplink(BytesPerSecond rate, std::uint32_t hosts, std::uint32_t spines,
                      double oversubscription) {
  const double up = static_cast<double>(rate.count) * hosts / spines / oversubscription;
  return {std::max<std::int64_t>(1, std::llround(up))};
}

// Reads `{kind: two_level, leaves: 4, leaf: 16, spines: 8, rate: 25 GB/s, oversubscription: 2}`: hosts at
// `rate` under leaves, and each leaf with a cable to each spine. With an oversubscription of 1 a leaf sends
// up as much as it receives.
std::unique_ptr<CableLayout> read_two_level(const Config& config) {
  const auto leaves = static_cast<std::uint32_t>(config.integer("leaves", 1, kMostHosts));
  const auto leaf = static_cast<std::uint32_t>(config.integer("leaf", 1, kMostHosts));
  const auto spines = static_cast<std::uint32_t>(config.integer("spines", 1, kMostWays));
  const BytesPerSecond rate = config.rate("rate");
  const double oversubscription = config.number("oversubscription", 0.01, 1000, 1);
  return make_tree(config, "leaves",
                   {{leaf, 1, 1, rate, "leaf"},
                    {leaves, spines, 1, uplink(rate, leaf, spines, oversubscription), "spine"}});
}

A3SIM_REGISTER(TopologyKind, "two_level",
               "hosts under leaves, and leaves under spines, with oversubscription",
               TopologyKind{read_two_level});

}  // namespace
}  // namespace a3sim
