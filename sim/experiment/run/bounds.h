#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/routing/routing.h"
#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/runtime/run.h"

namespace a3sim {

// Times that no execution of a schedule can beat, each on its own.
enum class Bound : std::uint8_t { kCube, kVector, kHbm, kLink, kCable, kPath };
inline constexpr std::uint32_t kBounds = 6;
constexpr std::string_view name_of(Bound bound) {
  constexpr std::string_view kNames[] = {"cube", "vector", "HBM", "link", "cable", "path"};
  return kNames[static_cast<std::uint8_t>(bound)];
}

struct Bounds {
  // kCube, kVector: the slowest rank's arithmetic, shared by all its cubes or vector cores. kHbm: the bytes
  // that it reads from outside, and writes beyond what the L2 holds, at the HBM's rates. kLink: its busiest
  // port. kCable: the cable that its topology's routes load most; zero without a topology. kPath: the longest chain of tasks and events, with every task alone on the machine, everything in
  // the L2, and a worker always free.
  std::array<Duration, kBounds> time{};
  std::string cable{};  // whose time kCable is

  // Returns the bound with the largest time, the first of equal ones.
  Bound binding() const;
  Duration largest() const { return time[static_cast<std::size_t>(binding())]; }
};

// Returns whether reports show a bound: that of cables only where there are some.
inline bool is_shown(Bound bound, Duration time) { return bound != Bound::kCable || time > Duration::zero(); }

// Returns the bounds of runs with these options, which say what the L2 may hold before, and which flows move
// rows.
Bounds lower_bounds(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                    const Program& program, const RunOptions& options = {});

}  // namespace a3sim
