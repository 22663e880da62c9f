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

// Whether the host launches the first kernel onto an idle device, has queued it behind others, or is not timed: the
// run begins with the kernel's first core.
enum class Launch : std::uint8_t { kAlone, kQueued, kNone };
constexpr auto names_of(Launch) { return std::to_array<std::string_view>({"alone", "queued", "none"}); }
inline Duration first_launch(const Program& program, Launch launch) {
  if (launch == Launch::kNone) return Duration::zero();
  return launch == Launch::kAlone ? program.launch.alone : program.launch.queued;
}

// In which order a dynamic scheduler hands out tasks that are ready.
enum class ReadyOrder : std::uint8_t {
  kQueue,  // as they stand in their queue
  kFifo    // as they became ready; those that did so at once as they stand in their queue
};
constexpr auto names_of(ReadyOrder) { return std::to_array<std::string_view>({"queue", "fifo"}); }

// How a schedule is run: everything but the schedule, its routing and the machine.
struct RunOptions {
  bool record = false;               // keep every task's life
  std::string execution = "static";  // a registered ExecutionType
  Transport transport = Transport::kPuts;
  std::vector<RankOptions> ranks{};  // none: all alike, rank r on die r
  std::vector<Duration>
      poll{};  // by kind, between two looks of a waiting worker at its event; 0, or none for
               // the kind: it sees it at once
  Launch launch = Launch::kAlone;
  // Of static execution: the operators of each kernel that the host launches when the one before has finished. None: all
  // are one kernel.
  std::vector<std::vector<std::string>> kernels{};
  // Of two streams: a kernel has the rows of so many experts, or of so many source ranks. 0: of all.
  std::uint32_t kernel_experts = 0, kernel_sources = 0;
  std::vector<std::string> postponed{};  // likewise: operators whose kernels come last in their stream
  std::uint32_t dispatch_servers = 1;    // of dynamic execution
  ReadyOrder ready = ReadyOrder::kQueue;
  L2Options l2{};
  CablePlanes cables{};        // of planes that have more than ports
  TaskHooks* hooks = nullptr;  // not owned, nor are these
  KernelLaunches* launches = nullptr;
  const LinkDisturbances* disturbances = nullptr;

  Duration poll_of(std::uint32_t queue) const { return queue < poll.size() ? poll[queue] : Duration::zero(); }
  RankOptions rank(RankId rank) const {
    return ranks.empty() ? RankOptions{.die = index(rank)} : ranks[index(rank)];
  }
};

// The execution that is none of schedules: kernels, copies and the host's work on streams.
inline constexpr std::string_view kStreams = "streams";

// `execution` of the block `experiment`: a registered one, or kStreams.
std::string read_execution(const Config& experiment);

// Notes names in a block of values by kind of worker that are none of the machine's kinds; those of AIC and AIV may
// always stand there.
void refuse_other_kinds(const Config& block, const WorkerKinds& workers);

// Reads from the block `experiment` how schedules are executed: `execution`, `communication`, `poll`, `launch`,
// `dispatch_servers`, `ready`, `kernel_experts`. Notes what is wrong with them. Ranks and the L2 have blocks of their own,
// and lists of operators are read with the workload. `workers` are the machine's.
RunOptions read_run_options(const Config& experiment, const WorkerKinds& workers);

}  // namespace a3sim
