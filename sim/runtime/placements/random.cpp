#include <numeric>

#include "sim/core/rng.h"
#include "sim/runtime/placements/host_placement.h"

namespace a3sim {
namespace {

// `{kind: random, dies: 64, seed: 1}`: draws dies without regard to switches, as the scheduler of a busy
// cluster assigns them.
std::vector<std::uint32_t> place_randomly(const Config& config, std::uint32_t ranks) {
  const std::uint32_t dies = read_dies(config, ranks);
  const auto seed = static_cast<std::uint64_t>(config.integer("seed", 0, std::int64_t{1} << 53, 1));
  std::vector<std::uint32_t> drawn(dies);
  std::iota(drawn.begin(), drawn.end(), 0U);
  Rng rng(seed, 0);
  for (std::uint32_t r = 0; r < ranks; ++r) std::swap(drawn[r], drawn[r + rng.below(dies - r)]);
  drawn.resize(ranks);
  return drawn;
}

A3SIM_REGISTER(HostPlacement, "random", "on any of the first dies, drawn by a seed",
               HostPlacement{place_randomly});

}  // namespace
}  // namespace a3sim
