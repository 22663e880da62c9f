#pragma once

#include <cstdint>

#include "sim/core/ids.h"
#include "sim/core/units.h"

namespace a3sim {

// What may look on while tasks run, and hold them up. Called in the order of simulated time.
class TaskHooks {
 public:
  virtual ~TaskHooks() = default;
  // How much later than it could, at that date, the task starts. Asked once a task, when it has been taken and
  // need not wait any more.
  virtual Duration delay(RankId, std::uint32_t /*task*/, Time /*at*/) { return {}; }
  // By how much longer its work takes than it is modelled, on a worker alone: positive, 1 as modelled. Memory
  // and links that many share are no slower for it. Asked once a task, when it starts.
  virtual double slowness(RankId, std::uint32_t /*task*/) { return 1; }
  // The task starts, before anything that ends or starts later.
  virtual void started(RankId, std::uint32_t /*task*/) {}
  // Whether the run ends with this task's start, because nobody needs the rest of it: RunResult::stopped. Asked once
  // a task, after started().
  virtual bool ends_run(RankId, std::uint32_t /*task*/, Time /*start*/) { return false; }
  // Its work is done: what it wrote is there, though nobody has been told yet. For a put: its last byte has
  // left.
  virtual void ended(RankId, std::uint32_t /*task*/) {}
  // Who looks on at the runs before the one that counts, which only warm an L2.
  virtual TaskHooks* before() { return nullptr; }
};

}  // namespace a3sim
