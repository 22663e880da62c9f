#pragma once

#include <array>
#include <span>
#include <vector>

#include "sim/device/hardware.h"
#include "sim/network/network.h"
#include "sim/runtime/cable_planes.h"
#include "sim/runtime/link_disturbances.h"
#include "sim/runtime/rank_options.h"
#include "sim/runtime/result.h"
#include "sim/runtime/shared_cables.h"
#include "sim/runtime/streams/stream_program.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// The record of a task, which holds its workers from `start` to `end`.
struct StreamRecord {
  Time ready;  // all that it waits for has ended
  Time start;  // it got its workers
  Time end;
  Time asked{};  // when it requested its workers
  Time work{};   // its job and its transfers began
  // kDependency or kWorkers; `number` is the task's number in the program: of several at the same time, the
  // smallest.
  Cause cause{};
  // Losses of whichever ended last, its job or a transfer; the rest of its time is its own.
  std::array<Duration, kLimits> lost{};
};

// The end of a transfer, which began with its task's work.
struct StreamSend {
  Time end{};       // its last byte had left
  Duration lost{};  // how much longer it took than alone on its links
};

struct StreamResult {
  std::vector<StreamRecord> records;  // by task
  std::vector<StreamSend> sends{};    // all transfers, task by task
  Duration makespan{};                // the last end
  std::vector<std::uint64_t> sent;    // by rank: bytes sent to other ranks
  std::vector<CableUse> cables;       // what the cables of planes carried, the most used first
  bool stopped = false;               // the hooks ended the run before all tasks had run, at `makespan`
};

// Conditions of a run other than the machine.
struct StreamConditions {
  // Observe and delay tasks, if not null: a task starts when it has its workers; slowness lengthens its
  // `hold`, its job and its transfers.
  TaskHooks* hooks = nullptr;
  // Lie between the ports of some planes: transfers to other ranks take them, exchanges with peers outside
  // the program do not.
  CablePlanes cables{};
  // Empty: all ranks are alike. A rank's tasks begin after its start, and its HBM gives `hbm` of its rates.
  // The program's tasks already have the effect of clocks.
  std::vector<RankOptions> ranks{};
  const LinkDisturbances* links = nullptr;  // null: none
  // Cables that transfers share, those to peers outside the program too, as the caller has found them. Null: none.
  const SharedCables* shared = nullptr;
};

// Runs a program. `dies` has one entry per rank.
StreamResult run_streams(const StreamProgram& program, const Hardware& hardware,
                         std::span<const std::uint32_t> dies, const NetworkBackend& backend,
                         const StreamConditions& conditions = {});

}  // namespace a3sim
