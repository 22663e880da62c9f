#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "traces/analysis/causes.h"

namespace a3sim {

// What a worker's time goes into.
enum class WorkerTime : std::uint8_t {
  kRun,         // tasks at their own pace, but no puts to other ranks
  kWait,        // for data: until what the next task waits for is complete, or other workers of a kernel are
  kMemory,      // lost in tasks to L2 reads and writes, HBM, misses
  kLink,        // puts to other ranks, from start to end; and until a put that has left is seen
  kPoll,        // until a trigger is seen on its own rank
  kScheduling,  // tasks are fetched and handed out, kernels launched, collectives prepared
  kHead,        // before the first task; all of it for a worker without tasks
  kTail         // after the last
};
constexpr auto names_of(WorkerTime) {
  return std::to_array<std::string_view>(
      {"run", "wait", "memory", "link", "poll", "scheduling", "head", "tail"});
}
inline constexpr std::uint32_t kWorkerTimes = kCountOf<WorkerTime>;

using WorkerTimes = std::array<Duration, kWorkerTimes>;

// The time of each rank's workers of a kind, AIC or AIV, from the common start to the makespan: at
// [rank][kind], sums to workers times makespan.
std::vector<std::array<WorkerTimes, 2>> worker_times(const Causes& causes);

}  // namespace a3sim
