#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "models/taskflow/taskflow.h"
#include "sim/core/config/config.h"
#include "sim/device/program.h"
#include "sim/runtime/cable_planes.h"
#include "sim/runtime/kernel_launches.h"
#include "sim/runtime/l2_options.h"
#include "sim/runtime/link_disturbances.h"
#include "sim/runtime/rank_options.h"
#include "sim/runtime/task_hooks.h"
#include "sim/runtime/topology.h"

namespace a3sim {

// The launch of the first kernel: on an idle device, queued behind other kernels, or not timed: the run then
// begins with the kernel's first core.
enum class Launch : std::uint8_t { kAlone, kQueued, kNone };
constexpr auto names_of(Launch) { return std::to_array<std::string_view>({"alone", "queued", "none"}); }
inline Duration first_launch(const Program& program, Launch launch) {
  if (launch == Launch::kNone) return Duration::zero();
  return launch == Launch::kAlone ? program.launch.alone : program.launch.queued;
}

// The order in which a dynamic scheduler hands out ready tasks.
enum class ReadyOrder : std::uint8_t {
  kQueue,  // in the order of their queue
  kFifo    // in the order in which they became ready; ties in the order of their queue
};
constexpr auto names_of(ReadyOrder) { return std::to_array<std::string_view>({"queue", "fifo"}); }

// The options of a run: everything except the schedule, its routing and the machine.
struct RunOptions {
  bool record = false;               // keep a record of every task
  std::string execution = "static";  // a registered ExecutionType
  Transport transport = Transport::kPuts;
  std::vector<RankOptions> ranks{};  // empty: all ranks are alike, and rank r is on die r
  // By kind of worker: the time between two checks of a waiting worker. 0, or no entry: the worker sees its
  // event at once.
  std::vector<Duration> poll{};
  Launch launch = Launch::kAlone;
  // Static execution only: the operators of each kernel, which the host launches when the previous one has
  // finished. Empty: all operators form one kernel.
  std::vector<std::vector<std::string>> kernels{};
  // Two streams only: the number of experts, or of source ranks, whose rows a kernel handles. 0: all.
  std::uint32_t kernel_experts = 0, kernel_sources = 0;
  // Two streams only: operators whose kernels come last in their stream.
  std::vector<std::string> postponed{};
  std::uint32_t dispatch_servers = 1;  // dynamic execution only
  ReadyOrder ready = ReadyOrder::kQueue;
  L2Options l2{};
  CablePlanes cables{};        // of planes that have more than ports
  TaskHooks* hooks = nullptr;  // not owned, like the next two
  KernelLaunches* launches = nullptr;
  const LinkDisturbances* disturbances = nullptr;

  Duration poll_of(std::uint32_t queue) const { return queue < poll.size() ? poll[queue] : Duration::zero(); }
  RankOptions rank(RankId rank) const {
    return ranks.empty() ? RankOptions{.die = index(rank)} : ranks[index(rank)];
  }
};

// The name of the execution that runs no schedule, but kernels, copies and host work on streams.
inline constexpr std::string_view kStreams = "streams";

// Reads `execution` of the block `experiment`: a registered name, or kStreams.
std::string read_execution(const Config& experiment);

// Notes an error for each name in a block (values by kind of worker) that is not a kind of the machine. AIC
// and AIV are always allowed.
void refuse_other_kinds(const Config& block, const WorkerKinds& workers);

// Reads how schedules are executed from the block `experiment`: `execution`, `communication`, `poll`,
// `launch`, `dispatch_servers`, `ready`, `kernel_experts`. Notes errors in them. Ranks and the L2 have blocks
// of their own; lists of operators are read with the workload. `workers` are the machine's.
RunOptions read_run_options(const Config& experiment, const WorkerKinds& workers);

}  // namespace a3sim
