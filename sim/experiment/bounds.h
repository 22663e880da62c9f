#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/routing/routing.h"
#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/runtime/run.h"

namespace a3sim {

// What no execution of a schedule can beat, each by itself.
enum class Bound : std::uint8_t { kCube, kVector, kHbm, kLink, kPath };
inline constexpr std::uint32_t kBounds = 5;
constexpr std::string_view name_of(Bound bound) {
  constexpr std::string_view kNames[] = {"cube", "vector", "HBM", "link", "path"};
  return kNames[static_cast<std::uint8_t>(bound)];
}

struct Bounds {
  // The slowest rank's arithmetic over all its cubes, its vectors; what it reads from outside, and writes
  // beyond what the L2 holds, at the HBM's rates; its busiest port; and the longest chain of tasks and
  // events, every task alone on the machine with everything in the L2, and a worker always free.
  std::array<Duration, kBounds> time{};

  Bound binding() const;  // the largest; the first of equals
  Duration largest() const { return time[static_cast<std::size_t>(binding())]; }
};

// Of runs with these options: what the L2 may hold before, and whose flows move rows, matters.
Bounds lower_bounds(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                    const Program& program, const RunOptions& options = {});

}  // namespace a3sim
