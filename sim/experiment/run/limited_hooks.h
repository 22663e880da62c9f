#pragma once

#include "sim/runtime/task_hooks.h"

namespace a3sim {

// Ends a run at the first task that starts later than a limit, because the run must then end later too.
// Otherwise forwards to `inner`.
class LimitedHooks final : public TaskHooks {
 public:
  LimitedHooks(TaskHooks& inner, Duration limit) : inner_(inner), limit_(Time(limit)) {}

  Duration delay(RankId rank, std::uint32_t task, Time at) override { return inner_.delay(rank, task, at); }
  double slowness(RankId rank, std::uint32_t task) override { return inner_.slowness(rank, task); }
  void started(RankId rank, std::uint32_t task) override { inner_.started(rank, task); }
  bool ends_run(RankId rank, std::uint32_t task, Time start) override {
    return start > limit_ || inner_.ends_run(rank, task, start);
  }
  void ended(RankId rank, std::uint32_t task) override { inner_.ended(rank, task); }
  TaskHooks* before() override { return inner_.before(); }

 private:
  TaskHooks& inner_;
  Time limit_;
};

}  // namespace a3sim
