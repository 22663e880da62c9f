#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "sim/core/config/config.h"

namespace a3sim {

// When a step is slow and a rank stands out: configs/advice/locate.yaml, with the sources. These are what it says.
struct LocateLimits {
  std::uint32_t window = 32;       // steps that were not slow, whose median and deviation count
  double share = 0.05;             // of the median: a step that is so much longer is slow,
  double deviations = 4;           // and no less than so many standard deviations
  double sure_share = 0.02;        // so is one that is so much longer,
  double sure_deviations = 8;      // and so many standard deviations
  double lasting = 0.012;          // and two in a row that are, and `deviations`
  double shift = 1.03;             // times the median: that of the last
  std::uint32_t shift_window = 8;  // steps
  double reference = 0.02;         // while there is no history: above a step without faults and noise
  double suspect = 0.008;          // of the step: a rank's lag above that of most
  double stable = 0.6;             // of slow steps with one suspect
  std::uint32_t apart = 64;        // steps between two slow ones of one episode
  std::uint32_t recorded = 3;      // steps in full behind a slow one
  std::uint32_t watched = 24;      // steps that are recorded at most until what comes and goes is seen
};

// In the folder of configurations.
inline constexpr std::string_view kLocateFile = "advice/locate.yaml";
// Throws InputError with everything that is wrong in the file.
LocateLimits read_locate_limits(const std::filesystem::path& file);
LocateLimits read_locate_limits(const Config& root);

}  // namespace a3sim
