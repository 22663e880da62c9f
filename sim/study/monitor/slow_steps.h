#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// Decides while a job runs which steps are recorded in full, from light records alone: a step is slow that takes
// longer than m + max(5 % of m, 4 s), with the median m of the last 32 steps that were not, and s = 1.4826 times their
// median absolute deviation; step 0 is compared with one of the faultless job. The rank whose own time (without
// waiting for others) is the longest is the suspect. A slow step asks for the next three of the suspect and of the
// rank whose own time is the median; steps that stay slow with the same suspect ask once.
class SlowSteps {
 public:
  // `usual`: of a faultless step.
  explicit SlowSteps(Duration usual) : usual_(usual) {}

  // Whether the step, of which these are all records, was slow.
  bool see(std::span<const LightRecord> records);
  // Which ranks of the step that comes now are recorded; none: nothing is.
  const std::vector<std::uint32_t>& wanted() const { return wanted_; }
  // The suspect of the last slow step, and a healthy rank.
  const std::vector<std::uint32_t>& suspects() const { return suspects_; }

 private:
  bool is_slow(Duration took) const;
  // Sets them; whether the suspect is another one than before.
  bool suspect(std::span<const LightRecord> records);

  Duration usual_;
  Duration before_{};  // the last release
  bool first_ = true;
  std::deque<double> history_;  // of steps that were not slow, in picoseconds
  std::vector<std::uint32_t> wanted_, suspects_;
  std::uint32_t suspect_ = kNone;
  std::uint32_t left_ = 0;  // steps that are still asked for
  bool was_slow_ = false;
};

}  // namespace a3sim
