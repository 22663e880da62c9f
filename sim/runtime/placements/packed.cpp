#include <numeric>

#include "sim/runtime/placements/host_placement.h"

namespace a3sim {
namespace {

// `{kind: packed, first: 8}`: takes consecutive dies from `first` on.
std::vector<std::uint32_t> place_packed(const Config& config, std::uint32_t ranks) {
  constexpr std::int64_t kMostDies = 1 << 16;
  const auto first = static_cast<std::uint32_t>(config.integer("first", 0, kMostDies, 0));
  std::vector<std::uint32_t> placed(ranks);
  std::iota(placed.begin(), placed.end(), first);
  return placed;
}

A3SIM_REGISTER(HostPlacement, "packed", "on dies one after the other, from a first one on",
               HostPlacement{place_packed});

}  // namespace
}  // namespace a3sim
