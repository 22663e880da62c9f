#pragma once

#include <vector>

#include "sim/runtime/execution.h"

namespace a3sim {

// Operators run as kernels of all workers, one after the other in one stream: each is launched from the host
// when the one before has finished. A kernel's tasks are dealt to the workers in turn; there are no events to
// wait for and no descriptors to fetch. On one rank.
class KernelExecution final : public Execution {
 public:
  explicit KernelExecution(Device& device);

  void launch(Engine& engine) override { start_kernel(engine); }
  void worker_is_free(Engine& engine, std::uint32_t worker) override;
  void event_is_complete(Engine&, std::uint32_t) override {}
  void called(Engine& engine, std::uint32_t) override { start_kernel(engine); }
  std::string blocked() const override { return {}; }

 private:
  void start_kernel(Engine& engine);
  void take(Engine& engine, std::uint32_t worker);

  Device& device_;
  std::vector<std::vector<std::uint32_t>> kernels_;  // tasks, in the order of the operators' stages
  std::size_t kernel_ = 0;
  std::uint32_t first_worker_ = 0, workers_ = 0;  // of this kernel
  std::uint32_t unfinished_ = 0;
  std::vector<std::size_t> next_;  // by worker: position in the kernel's tasks
};

}  // namespace a3sim
