#pragma once

#include <cstdint>

#include "sim/core/ids.h"
#include "sim/core/units.h"

namespace a3sim {

// Observes tasks as they run, and may delay them. The methods are called in the order of simulated time.
class TaskHooks {
 public:
  virtual ~TaskHooks() = default;
  // Returns how much later than `at` the task starts. Called once per task, when it has been taken and need
  // not wait any more.
  virtual Duration delay(RankId, std::uint32_t /*task*/, Time /*at*/) { return {}; }
  // Returns the factor (positive) by which the task's own work takes longer than modelled on a worker alone.
  // Shared memory and links are not slower for it. Called once per task, when it starts.
  virtual double slowness(RankId, std::uint32_t /*task*/) { return 1; }
  // Called when the task starts, before anything that ends or starts later.
  virtual void started(RankId, std::uint32_t /*task*/) {}
  // Returns true to end the run with this task's start, because the rest is not needed (RunResult::stopped).
  // Called once per task, after started().
  virtual bool ends_run(RankId, std::uint32_t /*task*/, Time /*start*/) { return false; }
  // Called when the task's work is done: what it wrote is there (for a put, its last byte has left), but
  // nobody has been told yet.
  virtual void ended(RankId, std::uint32_t /*task*/) {}
  // Returns the hooks for the earlier runs that only warm the L2.
  virtual TaskHooks* before() { return nullptr; }
};

}  // namespace a3sim
