#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/network/cable_reduction.h"

namespace a3sim {

// What one port sends to another one of a group, by the ranks that have them.
struct RankPair {
  std::uint32_t src, dst;
  CablePath path;
};

// Cables that turns of the group map onto one another: all of one capacity, and as busy as one another.
struct CableOrbits {
  std::vector<std::uint32_t> orbit;  // by cable: its orbit; kNone: nothing goes over it
  std::vector<BytesPerSecond>
      capacity;  // by orbit: what the flows that start on the first ranks may take of it
};

// Proves that ranks 0 to `devices` - 1 can stand for all `ranks`, rank r for r + devices and so on: that there is a map of the
// cables onto themselves under which the path from s + devices to d + devices is the image of the path from s to d, for all s
// and d, and which keeps capacities. The flows that start on the simulated ranks then take of the cables of an orbit what
// capacity * cables * devices / ranks is. Throws InputError with the first cable that has no image, by the name that `name_of`
// gives, and what remedies it. Sets of paths are compared by sums of 128 random bits a path.
CableOrbits turn_cables(const std::vector<BytesPerSecond>& capacities, const std::vector<RankPair>& pairs,
                        std::uint32_t ranks, std::uint32_t devices, const std::vector<std::string>& names);

// A path over orbits: the parts of its cables that lie on each. Throws InputError where more than all of the bytes go over
// one orbit.
CablePath path_over(const CablePath& path, const CableOrbits& orbits);

}  // namespace a3sim
