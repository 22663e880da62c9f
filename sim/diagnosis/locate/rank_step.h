#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

// What is compared of a rank from step to step, summed over the records of one.
enum class Measure : std::uint8_t {
  kOwn,       // ps from when it could begin until its own work was done, waits for others out
  kDelay,     // ps of that until its first work began
  kLate,      // ps by which launches came later than the device asked
  kAic,       // ps of AICs
  kAiv,       // ps of AIVs
  kTransfer,  // ps in which it sent or received
  kRows,
  kOperations
};
inline constexpr std::size_t kMeasures = static_cast<std::size_t>(Measure::kOperations) + 1;

struct RankStep {
  std::array<double, kMeasures> of{};
  std::array<double, 3> fill{};  // percent, as in LightRecord; below 0: not seen

  double operator[](Measure measure) const { return of[static_cast<std::size_t>(measure)]; }
  double& operator[](Measure measure) { return of[static_cast<std::size_t>(measure)]; }
};

// Light records, step by step, as what is compared of ranks. A rank can begin with its next record when its group has
// let it go on; with the first of all when the first of all ranks does.
class RankSteps {
 public:
  explicit RankSteps(std::uint32_t ranks) : released_(ranks), now_(ranks) {}

  // The ranks of the next step. Throws InputError for a rank that there is not.
  const std::vector<RankStep>& add(std::span<const LightRecord> records);
  // From the end of the step before to the end of this one, in ps.
  double took() const { return took_; }
  // Own time of each of these records, in ps, in their order.
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
