#include "sim/network/cable_symmetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/ids.h"

namespace a3sim {
namespace {

// Identifies what a cable carries: the sum of random bits of each pair of ranks and its part of the bytes.
using Signature = std::array<std::uint64_t, 2>;

std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

void add_pair(Signature& signature, std::uint32_t src, std::uint32_t dst, const CableShare& share) {
  const std::uint64_t pair = std::uint64_t{src} << 32 | dst,
                      part = std::uint64_t{share.parts} << 32 | share.whole;
  for (std::size_t i = 0; i < signature.size(); ++i)
    signature[i] += scrambled(scrambled(scrambled(pair + i) ^ part) + i);
}

// The cables that carry the same parts of the same flows, the slowest first.
using SameCables = std::map<Signature, std::vector<std::uint32_t>>;

// Returns the image of each cable under a rotation by `devices` ranks; kNone for unused cables.
std::vector<std::uint32_t> images_of(const std::vector<BytesPerSecond>& capacities,
                                     const std::vector<RankPair>& pairs, std::uint32_t ranks,
                                     std::uint32_t devices, const std::vector<std::string>& names) {
  std::vector<Signature> own(capacities.size(), Signature{}), turned(capacities.size(), Signature{});
  std::vector<bool> used(capacities.size(), false);
  for (const RankPair& pair : pairs) {
    for (const CableShare& share : pair.path) {
      used[share.cable] = true;
      add_pair(own[share.cable], pair.src, pair.dst, share);
      add_pair(turned[share.cable], (pair.src + devices) % ranks, (pair.dst + devices) % ranks, share);
    }
  }
  SameCables same;
  for (std::uint32_t c = 0; c < capacities.size(); ++c)
    if (used[c]) same[own[c]].push_back(c);
  for (auto& [signature, cables] : same)
    std::ranges::stable_sort(cables, {}, [&](std::uint32_t c) { return capacities[c]; });
  std::vector<std::uint32_t> images(capacities.size(), kNone);
  for (const auto& [signature, cables] : same) {
    const auto to = same.find(turned[cables.front()]);
    for (std::size_t i = 0; i < cables.size(); ++i) {
      const std::uint32_t c = cables[i];
      const bool maps = to != same.end() && to->second.size() == cables.size();
      if (maps && capacities[to->second[i]] == capacities[c]) {
        images[c] = to->second[i];
        continue;
      }
      throw InputError(fmt::format(
          "experiment.simulate=alike: {} of cable {} when each rank takes the place of the one {} ranks on, "
          "so that "
          "ranks cannot stand for others: expected all, or routes and cables that are the same for all ranks",
          maps ? fmt::format("cable {} has another rate and takes the place", names[to->second[i]])
               : "no cable carries the flows and takes the place",
          names[c], devices));
    }
  }
  return images;
}

}  // namespace

CableOrbits turn_cables(const std::vector<BytesPerSecond>& capacities, const std::vector<RankPair>& pairs,
                        std::uint32_t ranks, std::uint32_t devices, const std::vector<std::string>& names) {
  const std::vector<std::uint32_t> images = images_of(capacities, pairs, ranks, devices, names);
  CableOrbits orbits;
  orbits.orbit.assign(capacities.size(), kNone);
  for (std::uint32_t c = 0; c < capacities.size(); ++c) {
    if (images[c] == kNone || orbits.orbit[c] != kNone) continue;
    double cables = 0;
    for (std::uint32_t at = c; orbits.orbit[at] == kNone; at = images[at], ++cables)
      orbits.orbit[at] = static_cast<std::uint32_t>(orbits.capacity.size());
    const double together = static_cast<double>(capacities[c].count) * cables * devices / ranks;
    orbits.capacity.push_back({std::max<std::int64_t>(1, static_cast<std::int64_t>(together))});
  }
  return orbits;
}

CablePath path_over(const CablePath& path, const CableOrbits& orbits) {
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> parts;  // by orbit: a fraction
  for (const CableShare& share : path) {
    auto& [above, below] = parts.try_emplace(orbits.orbit[share.cable], 0U, 1U).first->second;
    const std::uint64_t common = std::lcm(below, std::uint64_t{share.whole});
    above = above * (common / below) + share.parts * (common / share.whole);
    below = common;
    if (above > below)
      throw InputError(
          "experiment.simulate=alike: a flow goes over several cables that stand for one another: expected "
          "all");
  }
  CablePath over;
  for (const auto& [orbit, part] : parts) {
    const std::uint64_t divisor = std::gcd(part.first, part.second);
    over.push_back({orbit, static_cast<std::uint32_t>(part.first / divisor),
                    static_cast<std::uint32_t>(part.second / divisor)});
  }
  return over;
}

}  // namespace a3sim
