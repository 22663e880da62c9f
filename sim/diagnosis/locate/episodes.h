#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/diagnosis/locate/locator.h"

namespace a3sim {

// Slow steps that belong together.
struct Episode {
  std::vector<std::uint32_t> steps;  // that were slow, in order
  double lost = 0;  // ps a step, above what is usual: the mean of all from the first to the last
  // In how many of the slow steps a rank was the first suspect; kNone: all alike.
  std::map<std::uint32_t, std::uint32_t> suspects;
  std::vector<RankStep> mean;  // by rank: of the slow steps

  std::uint32_t first() const { return steps.front(); }
  std::uint32_t last() const { return steps.back(); }
  // The rank that was the first suspect most often, and in what part of the slow steps.
  std::uint32_t suspect() const;
  double stable() const;
};

// What is slow in a job, and what is usual.
struct Located {
  std::uint32_t steps = 0;
  double usual = 0;  // ps a step: the median of those that were not slow; or of one without faults
  std::vector<RankStep> healthy;  // by rank: the mean of these
  bool by_reference = false;      // no step was usual: it is a step without faults and noise
  bool known = false;             // whether anything tells what is usual
  std::vector<Episode> episodes;

  // Whether a step is of an episode.
  bool is_slow(std::uint32_t step) const;
};

// Looks at all steps twice, one at a time: for what is slow, and then for means. Throws as the observation does.
Located locate(const Observation& of, const LocateLimits& limits);

}  // namespace a3sim
