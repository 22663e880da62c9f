#pragma once

#include <span>
#include <vector>

#include "scheduler/ssc/worker_queues.h"
#include "sim/core/units.h"
#include "sim/runtime/execution.h"

namespace a3sim {

// Every worker loops: take its next task, wait for its event, run it, trigger. A worker that waits holds its
// place.
class StaticExecution final : public Execution {
 public:
  // Of the tasks of these operators only.
  StaticExecution(const ExecutionSite& site, const std::vector<bool>& operators);

  void launch(Engine& engine) override { start(engine, {}, {}); }
  // The same, if records are kept: why workers take their first tasks, and how long each has waited for that.
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
    StartReason why;  // it runs then, unless it sees its event later
  };
  void take(Engine& engine, std::uint32_t worker, const StartReason& why);
  // When a worker that waits sees what is there at `now`.
  Time seen(std::uint32_t worker, Time now) const;

  const ExecutionSite& site_;
  WorkerQueues queues_;
  std::vector<Worker> workers_;
  std::vector<std::uint32_t> first_waiter_;  // by event
};

}  // namespace a3sim
