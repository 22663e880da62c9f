#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/network/cable_reduction.h"

namespace a3sim {

// The route from one rank's port to another's, in a group.
struct RankPair {
  std::uint32_t src, dst;
  CablePath path;
};

// Sets of cables that rotations of the group map onto one another: they have the same capacity and are
// equally busy.
struct CableOrbits {
  std::vector<std::uint32_t> orbit;  // by cable; kNone: unused
  // By orbit: the capacity available to flows that start on the first ranks.
  std::vector<BytesPerSecond> capacity;
};

// Proves that ranks 0 to `devices` - 1 can represent all `ranks` (rank r also represents r + devices, and so
// on): that some permutation of the cables keeps capacities and maps the path from s to d onto the path from
// s + devices to d + devices, for all s and d. The flows that start on the simulated ranks then may use
// capacity * cables * devices / ranks of an orbit. Throws InputError with a remedy and the first cable that
// has no image, called by its entry in `names`. Sets of paths are compared by sums of 128 random bits per
// path.
CableOrbits turn_cables(const std::vector<BytesPerSecond>& capacities, const std::vector<RankPair>& pairs,
                        std::uint32_t ranks, std::uint32_t devices, const std::vector<std::string>& names);

// Returns the path over orbits: for each orbit, the share of the bytes on its cables. Throws InputError if
// one orbit would carry more than all of the bytes.
CablePath path_over(const CablePath& path, const CableOrbits& orbits);

}  // namespace a3sim
