#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "sim/core/config/config.h"

namespace a3sim {

// Thresholds for slow steps and suspect ranks. configs/advice/locate.yaml holds these values with their
// sources.
struct LocateLimits {
  std::uint32_t window = 32;   // steps that were not slow, for the median and the deviation
  double share = 0.05;         // a step is slow if it exceeds the median by this part of it,
  double deviations = 4;       // and by this many standard deviations
  double sure_share = 0.02;    // or by this smaller part,
  double sure_deviations = 8;  // and by this many standard deviations
  double lasting = 0.012;      // or if two steps in a row exceed it by this part, and by `deviations`
  double shift = 1.03;  // or if the median of the last `shift_window` steps is this many times the median
  std::uint32_t shift_window = 8;
  double reference = 0.02;  // without a history: the part by which it exceeds a step without faults and noise
  double suspect = 0.008;   // part of the step by which a suspect's lag exceeds that of most ranks
  double stable = 0.6;      // part of the slow steps with the same suspect
  std::uint32_t apart = 64;    // most steps between two slow steps of one episode
  std::uint32_t recorded = 3;  // steps to record in full after a slow one
  std::uint32_t watched = 24;  // most steps to record while waiting for an intermittent fault
};

// The path of the file within the folder of configurations.
inline constexpr std::string_view kLocateFile = "advice/locate.yaml";
// Throws InputError with everything wrong in the file.
LocateLimits read_locate_limits(const std::filesystem::path& file);
LocateLimits read_locate_limits(const Config& root);

}  // namespace a3sim
