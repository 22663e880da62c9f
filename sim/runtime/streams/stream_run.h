#pragma once

#include <array>
#include <span>
#include <vector>

#include "sim/device/hardware.h"
#include "sim/network/network.h"
#include "sim/runtime/cable_planes.h"
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
  // kDependency or kWorkers; `number` is the task's number in the program: of several at one date, the
  // smallest.
  Cause cause{};
  // Losses of whichever ended last, its job or a transfer; the rest of its time is its own.
  std::array<Duration, kLimits> lost{};
};

struct StreamResult {
  std::vector<StreamRecord> records;  // by task
  Duration makespan{};                // the last end
  std::vector<std::uint64_t> sent;    // by rank: bytes sent to other ranks
  std::vector<CableUse> cables;       // what the cables of planes carried, the most used first
  bool stopped = false;               // the hooks ended the run before all tasks had run, at `makespan`
};

// Runs a program from a common start. `dies` has one entry per rank. `hooks`, if not null, observe and delay
// tasks: a task starts when it has its workers; slowness lengthens its `hold`, its job and its transfers.
// `cables` lie between the ports of some planes: transfers to other ranks take them, exchanges with peers outside
// the program do not.
StreamResult run_streams(const StreamProgram& program, const Hardware& hardware,
                         std::span<const std::uint32_t> dies, const NetworkBackend& backend,
                         TaskHooks* hooks = nullptr, const CablePlanes& cables = {});
// The same where transfers, those to peers outside the program too, share cables that the caller has found.
StreamResult run_streams_on(const SharedCables& shared, const StreamProgram& program,
                            const Hardware& hardware, std::span<const std::uint32_t> dies,
                            const NetworkBackend& backend, TaskHooks* hooks = nullptr);

}  // namespace a3sim
