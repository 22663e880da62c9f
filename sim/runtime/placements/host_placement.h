#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"

namespace a3sim {

// A policy that puts the ranks of a group on dies; one file each, registered by the name that `parallel.hosts` gives.
struct HostPlacement {
  static constexpr std::string_view kKind = "placement";
  // Reads the policy's keys and returns each rank's die: all different. Notes what is wrong with them.
  std::vector<std::uint32_t> (*place)(const Config& config, std::uint32_t ranks);
};
using HostPlacements = Registry<HostPlacement>;

// `dies`: how many dies a policy may use, from die 0 on; at least one a rank.
std::uint32_t read_dies(const Config& config, std::uint32_t ranks);

}  // namespace a3sim
