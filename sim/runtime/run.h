#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/routing/routing.h"
#include "scheduler/ssc.h"
#include "sim/device/hardware.h"
#include "sim/memory/l2/l2.h"
#include "sim/network/network.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/result.h"
#include "sim/runtime/task_hooks.h"
#include "sim/runtime/topology.h"

namespace a3sim {

// What a run finds in the L2.
enum class L2Start : std::uint8_t {
  kCold,  // nothing
  kWarm,  // what the same run, made before on the same memory, left there
  kUsed   // what such runs, made before on other memory, left there: nothing of use, and lines to write back
};
constexpr std::string_view name_of(L2Start start) {
  constexpr std::string_view kNames[] = {"cold", "warm", "used"};
  return kNames[static_cast<std::uint8_t>(start)];
}

// The L2 of every device.
struct L2Options {
  L2Spec spec;         // its size is the hardware's
  bool exact = false;  // every line, or pieces of tensors
  L2Start start = L2Start::kCold;
  std::map<std::string, L2Hint> read_hints, write_hints;  // by operator
  // By operator, all of them: an L2 that answers at these rates instead of one that remembers.
  std::map<std::string, L2Rates> rates{};
};

// What tells a rank from the others, beside its schedule.
struct RankOptions {
  std::uint32_t die = 0;
  Duration start{};  // how much later than the common start its first kernel is launched
  double clock = 1;  // of the hardware's, positive
};

struct RunOptions {
  bool record = false;  // keep every task's life
  ExecutionKind execution = ExecutionKind::kStatic;
  Transport transport = Transport::kPuts;
  std::vector<RankOptions> ranks{};  // none: all alike, rank r on die r
  Duration poll[kQueues] = {};  // between two looks of a waiting worker at its event; 0: it sees it at once
  std::uint32_t dispatch_servers = 1;  // of dynamic execution
  L2Options l2{};
  TaskHooks* hooks = nullptr;  // not owned

  RankOptions rank(RankId rank) const {
    return ranks.empty() ? RankOptions{.die = index(rank)} : ranks[index(rank)];
  }
};

// Where each rank's die lies.
std::vector<std::uint32_t> dies_of(const Schedule& schedule, const RunOptions& options);

// The capacities of a schedule's bucket, put together from its ranks.
RoutingCounts capacity_of(const Schedule& schedule);

// Runs a schedule on every rank from a common start, under one routing of its bucket.
// Throws InputError for a routing above the bucket's capacity or workers that the hardware has not, RunError
// on deadlock.
RunResult run_schedule(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                       const NetworkBackend& backend, const RunOptions& options);

}  // namespace a3sim
