#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "traces/analysis/causes.h"

namespace a3sim {

// What a worker's time goes into. A worker is busy while it runs tasks, waits at a task that it could run if
// what that reads were there, and is idle while it has no task at all.
enum class WorkerTime : std::uint8_t {
  kRun,         // tasks at their own pace, but no puts to other ranks
  kMemory,      // lost in tasks to L2 reads and writes, HBM, misses
  kPuts,        // puts to other ranks, from start to end
  kWait,        // between two tasks, or at the first: until it has seen that what the task reads is there
  kScheduling,  // tasks are fetched and handed out, kernels launched, collectives prepared
  kIdle         // before the first task is taken and after the last; all of it for a worker without tasks
};
constexpr auto names_of(WorkerTime) {
  return std::to_array<std::string_view>({"run", "memory", "puts", "wait", "scheduling", "idle"});
}
inline constexpr std::uint32_t kWorkerTimes = kCountOf<WorkerTime>;

using WorkerTimes = std::array<Duration, kWorkerTimes>;
inline Duration part_of(const WorkerTimes& times, WorkerTime time) {
  return times[static_cast<std::size_t>(time)];
}

// The time of each rank's workers of a kind from the common start to the makespan: at
// [rank][kind], sums to workers times makespan.
std::vector<std::vector<WorkerTimes>> worker_times(const Causes& causes);

// The same by operator, over all ranks: its tasks and what workers do before each of them. Nobody is idle for
// an operator.
std::vector<WorkerTimes> operator_times(const Causes& causes);

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
