#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traces/analysis/causes.h"

namespace a3sim {

// What the tasks of one operator did, over all ranks.
struct OperatorStats {
  std::uint64_t tasks = 0;
  Duration first_start = Duration::max(), last_end{};  // since the common start
  Duration waited{};                                   // workers at its tasks: WorkerTime::kWait
  Duration ran{};                                      // from start to end; ideal and lost sum to it
  Duration ideal{};
  std::array<Duration, kLimits> lost{};

  // The limit that cost most; none lost: kLimits.
  std::uint32_t worst_limit() const;
};

// By operator.
std::vector<OperatorStats> operator_stats(const Causes& causes);

}  // namespace a3sim
