#pragma once

#include <vector>

#include "sim/core/units.h"
#include "sim/runtime/execution.h"

namespace a3sim {

// A scheduler on the device hands ready tasks to free workers: of the ready ones the first in its queue, to
// the free worker with the smallest number that may run it. Its servers each take their time for a task, one
// after the other. A schedule's worker sets hold, its assignment does not.
class DynamicExecution final : public Execution {
 public:
  explicit DynamicExecution(Device& device);

  void launch(Engine& engine) override;
  void worker_is_free(Engine& engine, std::uint32_t worker) override;
  void event_is_complete(Engine& engine, std::uint32_t event) override;
  // A server has handed a task out.
  void called(Engine& engine, std::uint32_t worker) override;
  std::string blocked() const override;

 private:
  void add_ready(std::uint32_t task);
  // Hands out what can be, as long as a server is free.
  void serve(Engine& engine);
  std::uint32_t free_worker(std::uint32_t set) const;
  bool earlier(std::uint32_t a, std::uint32_t b) const;

  Device& device_;
  bool launched_ = false;  // what completes before is found then
  std::uint32_t free_servers_;
  std::vector<std::uint32_t> place_;               // by task: its position in its queue
  std::vector<std::vector<std::uint32_t>> ready_;  // by worker set: tasks, a heap with the earliest on top
  std::vector<bool> free_, handed_;                // by worker; by task
  std::vector<std::uint32_t> waiting_, first_;     // tasks by event, and where each event's begin
};

}  // namespace a3sim
