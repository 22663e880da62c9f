#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// Measures of a rank that are compared from step to step, summed over its records of one step.
enum class Measure : std::uint8_t {
  kOwn,       // ps from when it could begin until its own work was done, without waits for others
  kDelay,     // ps of kOwn before its first work began
  kLate,      // ps by which launches came after the device was ready
  kAic,       // busy ps, summed over AICs
  kAiv,       // busy ps, summed over AIVs
  kTransfer,  // ps in which it sent or received
  kWaited,    // ps in which it waited for other ranks, within its work and behind it
  kRows,
  kOperations
};
inline constexpr std::size_t kMeasures = static_cast<std::size_t>(Measure::kOperations) + 1;

struct RankStep {
  std::array<double, kMeasures> values{};
  std::array<double, 3> fill{};  // percent, as in LightRecord; negative: not recorded

  double operator[](Measure measure) const { return values[static_cast<std::size_t>(measure)]; }
  double& operator[](Measure measure) { return values[static_cast<std::size_t>(measure)]; }
};

// Returns how long a rank waits for its host: for a late launch, or for a late start.
inline double host_wait(const RankStep& rank) {
  return std::max(rank[Measure::kDelay], rank[Measure::kLate]);
}

// Turns the light records of each step into measures of ranks. A rank can begin its next record when its
// group has released it, and its very first one when the first of all ranks begins.
class RankSteps {
 public:
  explicit RankSteps(std::uint32_t ranks) : released_(ranks), now_(ranks) {}

  // Returns the measures of all ranks in the next step. Throws InputError for a rank number out of range.
  const std::vector<RankStep>& add(std::span<const LightRecord> records);
  // Returns the time from the end of the previous step to the end of this one, in ps.
  double took() const { return took_; }
  // Returns the own time of each record of the step, in ps, in their order.
  const std::vector<double>& own() const { return own_; }

 private:
  void add(const LightRecord& record);

  std::vector<Duration> released_;
  std::vector<RankStep> now_;
  Duration end_{};
  bool first_ = true;
  double took_ = 0;
  std::vector<double> own_;
};

}  // namespace a3sim
