#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "traces/analysis/causes.h"

namespace a3sim {

// The uses of a worker's time. A worker is busy while it runs tasks, waits if it has a task whose inputs
// are not there yet, and is idle if it has no task.
enum class WorkerTime : std::uint8_t {
  kRun,         // tasks at their own pace, without puts to other ranks
  kMemory,      // lost in tasks to L2 reads and writes, HBM, and misses
  kPuts,        // puts to other ranks, from start to end
  kWait,        // before a task, until the worker sees that its inputs are there
  kScheduling,  // fetching and handing out tasks, launching kernels, preparing collectives
  kIdle         // before the first task is taken and after the last one
};
constexpr auto names_of(WorkerTime) {
  return std::to_array<std::string_view>({"run", "memory", "puts", "wait", "scheduling", "idle"});
}
inline constexpr std::uint32_t kWorkerTimes = kCountOf<WorkerTime>;

using WorkerTimes = std::array<Duration, kWorkerTimes>;
inline Duration part_of(const WorkerTimes& times, WorkerTime time) {
  return times[static_cast<std::size_t>(time)];
}

// Returns the time of each rank's workers of a kind, from the common start to the makespan, at
// [rank][kind]. Sums to workers times makespan.
std::vector<std::vector<WorkerTimes>> worker_times(const Causes& causes);

// Returns the same by operator, over all ranks: its tasks, and what workers do before each of them. No time
// is idle.
std::vector<WorkerTimes> operator_times(const Causes& causes);

// Sums over the tasks of one operator, on all ranks.
struct OperatorStats {
  std::uint64_t tasks = 0;
  Duration first_start = Duration::max(), last_end{};  // since the common start
  Duration waited{};                                   // of workers at its tasks: WorkerTime::kWait
  Duration ran{};                                      // from start to end; `ideal` and `lost` sum to it
  Duration ideal{};
  std::array<Duration, kLimits> lost{};

  // Returns the limit that cost most, or kLimits if nothing was lost.
  std::uint32_t worst_limit() const;
};

// Returns one entry per operator.
std::vector<OperatorStats> operator_stats(const Causes& causes);

}  // namespace a3sim
