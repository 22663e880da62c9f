#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"

namespace a3sim {

// A policy that places the ranks of a group on dies. One file each, registered by the name that
// `parallel.hosts` gives.
struct HostPlacement {
  static constexpr std::string_view kKind = "placement";
  // Reads the policy's keys and returns each rank's die; all differ. Notes errors in them.
  std::vector<std::uint32_t> (*place)(const Config& config, std::uint32_t ranks);
};
using HostPlacements = Registry<HostPlacement>;

// Reads `dies`: the number of dies, from die 0 on, that a policy may use. It must be at least `ranks`.
std::uint32_t read_dies(const Config& config, std::uint32_t ranks);

}  // namespace a3sim
