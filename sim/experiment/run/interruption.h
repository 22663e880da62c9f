#pragma once

#include <cstddef>

#include "sim/core/progress.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// Sets a function for programs that embed this one. It is called regularly while schedules are compiled and
// run, on the thread that does so. An exception that it throws ends that work. Null, the default, means no
// function.
using InterruptionCheck = void (*)();
void set_interruption_check(InterruptionCheck check);

// Calls the function that was set, if any.
void check_interruption();

// Calls the function whenever a task starts.
class InterruptionHooks final : public TaskHooks {
 public:
  void started(RankId, std::uint32_t) override { check_interruption(); }
};

// Calls the function whenever a task starts, reports progress every so many tasks, and otherwise forwards to
// `inner`, which may be null.
class InterruptibleHooks final : public TaskHooks {
 public:
  InterruptibleHooks(TaskHooks* inner, Progress& tasks) : inner_(inner), tasks_(tasks) {}
  // Returns the hooks for a run. These are `inner` itself if there is nothing to call and no progress to
  // show.
  TaskHooks* hooks();

  Duration delay(RankId rank, std::uint32_t task, Time at) override;
  double slowness(RankId rank, std::uint32_t task) override;
  void started(RankId rank, std::uint32_t task) override;
  bool ends_run(RankId rank, std::uint32_t task, Time start) override;
  void ended(RankId rank, std::uint32_t task) override;
  TaskHooks* before() override { return &interruption_; }

 private:
  InterruptionHooks interruption_;
  TaskHooks* inner_;
  Progress& tasks_;
  std::size_t started_ = 0;
};

}  // namespace a3sim
