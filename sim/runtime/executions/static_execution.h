#pragma once

#include <span>
#include <vector>

#include "scheduler/ssc/worker_queues.h"
#include "sim/core/units.h"
#include "sim/runtime/execution.h"

namespace a3sim {

// Each worker loops: it takes its next task, waits for its event, runs it, and triggers. A waiting worker
// keeps its task.
class StaticExecution final : public Execution {
 public:
  // Runs only the tasks of the operators whose entry in `operators` is true.
  StaticExecution(const ExecutionSite& site, const std::vector<bool>& operators);

  void launch(Engine& engine) override { start(engine, {}, {}); }
  // Starts the workers. If records are kept: `cause` is why they take their first tasks, `waited` how long
  // each has waited for that.
  void start(Engine& engine, const Cause& cause, std::span<const Duration> waited);
  void worker_is_free(Engine& engine, std::uint32_t worker, std::uint32_t task) override {
    take(engine, worker, {site_.task_cause(Cause::Kind::kLane, task), {}});
  }
  void event_is_complete(Engine& engine, std::uint32_t event) override;
  void on_event(Engine&, std::uint32_t) override {}
  std::string blocked() const override;

 private:
  struct Worker {
    std::uint32_t task;
    std::uint32_t next_waiter;  // in the list of its event
    bool waiting = false;
    Time checked;     // when the first check of its event is over
    StartReason why;  // the reason to run at `checked`, unless the event is seen later
  };
  void take(Engine& engine, std::uint32_t worker, const StartReason& why);
  // Returns when a waiting worker sees what is there at `now`.
  Time seen(std::uint32_t worker, Time now) const;

  const ExecutionSite& site_;
  WorkerQueues queues_;
  std::vector<Worker> workers_;
  std::vector<std::uint32_t> first_waiter_;  // by event
};

}  // namespace a3sim
