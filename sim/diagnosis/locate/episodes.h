#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/diagnosis/locate/locator.h"

namespace a3sim {

// Slow steps that are slow in one way (slow_intervals.h).
struct Episode {
  std::vector<std::uint32_t> steps;  // slow steps, ascending
  double lost = 0;                   // ps per step above the usual: the mean from the first to the last step
  // The number of slow steps in which a rank was the first suspect; kNone: no rank stands out.
  std::map<std::uint32_t, std::uint32_t> suspects;
  std::vector<RankStep> mean;  // by rank: means over the slow steps
  // The first slow steps that are recorded in full, or else those of the interval that is most alike (`borrowed`);
  // by rank: means over them. If there are none, over all slow steps.
  std::vector<std::uint32_t> recorded;
  std::vector<RankStep> seen;
  bool borrowed = false;

  std::uint32_t first() const { return steps.front(); }
  std::uint32_t last() const { return steps.back(); }
  // suspect() is the rank that was the first suspect most often; stable() is the part of the slow steps in
  // which it was.
  std::uint32_t suspect() const;
  double stable() const;
};

// The slow steps of a job, and what is usual.
struct Located {
  std::uint32_t steps = 0;
  double usual = 0;  // ps per step: the median of steps that were not slow, or a step without faults
  std::vector<RankStep> healthy;  // by rank: means over these steps
  bool by_reference = false;      // no step was usual: the step without faults and noise is taken
  bool known = false;             // whether a usual step is known
  std::vector<Episode> episodes;

  // Returns whether a step belongs to an episode.
  bool is_slow(std::uint32_t step) const;
};

// Reads all steps up to four times, one at a time: to find slow steps, and to compute means. If no step without faults is
// known and the last steps are faster for good, these are usual, and what was before them is judged by them. Throws
// what the observation throws.
Located locate(const Observation& observation, const LocateLimits& limits);

}  // namespace a3sim
