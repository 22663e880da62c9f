#pragma once

#include <cstddef>

#include "sim/core/progress.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// For programs that embed this one. What is given is called now and then while schedules are compiled and run, on the
// thread that does so; what it throws ends that. Null, as at the start: nothing is.
using InterruptionCheck = void (*)();
void set_interruption_check(InterruptionCheck check);

// Calls it.
void check_interruption();

// Calls it whenever a task starts.
class InterruptionHooks final : public TaskHooks {
 public:
  void started(RankId, std::uint32_t) override { check_interruption(); }
};

// Calls it whenever a task starts, tells now and then how many have, and is `inner`, where there is one, for all else.
class InterruptibleHooks final : public TaskHooks {
 public:
  InterruptibleHooks(TaskHooks* inner, Progress& tasks) : inner_(inner), tasks_(tasks) {}
  // Those that a run takes: `inner` itself where nothing is to be called.
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
