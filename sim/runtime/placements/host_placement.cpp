#include "sim/runtime/placements/host_placement.h"

namespace a3sim {

std::uint32_t read_dies(const Config& config, std::uint32_t ranks) {
  constexpr std::int64_t kMostDies = 1 << 16;
  return static_cast<std::uint32_t>(config.integer("dies", ranks, kMostDies));
}

}  // namespace a3sim
