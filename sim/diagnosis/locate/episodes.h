#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/diagnosis/locate/host_turns.h"
#include "sim/diagnosis/locate/locator.h"

namespace a3sim {

// A group of slow steps that are slow in one way (slow_intervals.h).
struct Episode {
  std::vector<std::uint32_t> steps;  // slow steps, ascending
  std::vector<double> lost_each;     // ps above the usual time, one entry per slow step
  double lost = 0;  // ps per step above the usual time: the mean over all steps from the first to the last
  // Maps each rank to the number of slow steps in which it was the first suspect. kNone: no rank stood out.
  std::map<std::uint32_t, std::uint32_t> suspects;
  std::vector<RankStep> mean;  // one entry per rank: means over the slow steps
  std::vector<RankStep> most;  // one entry per rank: the largest value of each measure in any slow step
  // The first slow steps that are recorded in full, or else those of the most similar interval (`borrowed`).
  // `seen` has one entry per rank: means over these steps, or over all slow steps if there are none.
  std::vector<std::uint32_t> recorded;
  std::vector<RankStep> seen;
  std::vector<std::vector<RankStep>> seen_each;  // one entry per step of `recorded`, in their order
  bool borrowed = false;
  // The last slow steps that are recorded in full beside these, and `seen_each` of them: do they show the same?
  std::vector<std::uint32_t> last_recorded;
  std::vector<std::vector<RankStep>> last_seen;
  // How long each rank waited for its host, in ps: an entry of all ranks per slow step. Empty in jobs of very many ranks and
  // slow steps.
  std::vector<std::vector<float>> host_waits;

  std::uint32_t first() const { return steps.front(); }
  std::uint32_t last() const { return steps.back(); }
  // suspect() returns the rank that was the first suspect most often; stable() returns the part of the slow
  // steps in which it was.
  std::uint32_t suspect() const;
  double stable() const;
  // Returns whether slow steps lose more and more time: each quarter of them more than the one before, and the last one
  // half as much again as the first one.
  bool grows() const;
};

// The slow steps of a job, and its usual step.
struct Located {
  std::uint32_t steps = 0;
  double usual = 0;  // ps per step: the median of steps that were not slow, or a step without faults
  std::vector<RankStep> healthy;  // one entry per rank: means over these steps
  bool by_reference = false;      // no step was usual, so the step without faults and noise is used
  bool known = false;             // a usual step is known
  std::vector<Episode> episodes;

  // Returns whether a step belongs to an episode.
  bool is_slow(std::uint32_t step) const;
};

// Finds the slow steps, and computes means. Reads all steps up to four times, one at a time. If no step
// without faults is known and the last steps are faster for good, these are usual, and the steps before are
// compared with them. Episodes end at `turns`, which are known from causes, too. Throws what the observation throws.
Located locate(const Observation& observation, const LocateLimits& limits,
               const std::vector<Turn>& turns = {});

}  // namespace a3sim
