#pragma once

#include <array>
#include <span>
#include <vector>

#include "sim/device/hardware.h"
#include "sim/network/network.h"
#include "sim/runtime/result.h"
#include "sim/runtime/streams/stream_program.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// A task's life: `end - start` is what it held its workers for.
struct StreamRecord {
  Time ready;  // what it waits for has ended
  Time start;  // it has its workers
  Time end;
  Time asked{};  // for them
  Cause
      cause{};  // kDependency or kWorkers; `number` is that in the program. Of several at one date the smallest
  std::array<Duration, kLimits>
      lost{};  // by what ended last of its job and its transfers; the rest is its own
};

struct StreamResult {
  std::vector<StreamRecord> records;  // by task
  Duration makespan{};                // the last end
  std::vector<std::uint64_t> sent;    // by rank: bytes to other ranks
  bool stopped = false;               // the hooks ended it before all tasks had run: `makespan` is when
};

// Runs a program from a common start. `dies`: where its ranks lie. `hooks`, if any, look on and hold tasks up: a task
// starts when it has its workers; slowness lengthens its `hold`, its job and its transfers.
StreamResult run_streams(const StreamProgram& program, const Hardware& hardware,
                         std::span<const std::uint32_t> dies, const NetworkBackend& backend,
                         TaskHooks* hooks = nullptr);

}  // namespace a3sim
