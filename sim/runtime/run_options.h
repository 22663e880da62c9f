#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "models/taskflow/taskflow.h"
#include "sim/core/config/config.h"
#include "sim/runtime/l2_options.h"
#include "sim/runtime/rank_options.h"
#include "sim/runtime/task_hooks.h"
#include "sim/runtime/topology.h"

namespace a3sim {

// How a schedule is run: everything but the schedule, its routing and the machine.
struct RunOptions {
  bool record = false;               // keep every task's life
  std::string execution = "static";  // a registered ExecutionType
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

// Reads from the block `experiment` how schedules are executed: `execution`, `communication`, `poll`,
// `dispatch_servers`. Notes what is wrong with them. Ranks and the L2 have blocks of their own.
RunOptions read_run_options(const Config& experiment);

}  // namespace a3sim
