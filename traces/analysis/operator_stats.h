#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/runtime/result.h"

namespace a3sim {

// What the tasks of one operator did, over all ranks.
struct OperatorStats {
  std::uint64_t tasks = 0;
  Duration first_start = Duration::max(), last_end{};  // since the common start
  Duration waited{};                                   // from taken to started
  Duration ran{};                                      // from start to end; ideal and lost sum to it
  Duration ideal{};
  std::array<Duration, kLimits> lost{};

  // The limit that cost most; none lost: kLimits.
  std::uint32_t worst_limit() const;
};

// Adds one rank's records; `op_of_task` gives each task's operator, an index into `stats`.
void add_records(std::span<const TaskRecord> records, std::span<const std::uint16_t> op_of_task,
                 std::vector<OperatorStats>& stats);

}  // namespace a3sim
