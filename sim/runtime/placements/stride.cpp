#include "sim/runtime/placements/host_placement.h"

namespace a3sim {
namespace {

// `{kind: stride, step: 4}`: takes every fourth die.
std::vector<std::uint32_t> place_by_stride(const Config& config, std::uint32_t ranks) {
  constexpr std::int64_t kMostStep = 4096;
  const auto step = static_cast<std::uint32_t>(config.integer("step", 1, kMostStep));
  std::vector<std::uint32_t> placed;
  for (std::uint32_t r = 0; r < ranks; ++r) placed.push_back(r * step);
  return placed;
}

A3SIM_REGISTER(HostPlacement, "stride", "on every so many-th die from die 0 on",
               HostPlacement{place_by_stride});

}  // namespace
}  // namespace a3sim
