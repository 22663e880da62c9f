#pragma once

#include <vector>

#include "models/taskflow/taskflow.h"
#include "sim/runtime/execution.h"

namespace a3sim {

// Operators run as kernels of all workers, one after the other in one stream: each is launched from the host
// when the one before has finished. A kernel's tasks are dealt to the workers in turn; there are no events to
// wait for and no descriptors to fetch. Operators that put are collectives of the host: all ranks meet, each
// sends to all others at a time, and all meet again.
class KernelExecution final : public Execution {
 public:
  explicit KernelExecution(Device& device);

  void launch(Engine& engine) override { start_kernel(engine); }
  void worker_is_free(Engine& engine, std::uint32_t worker) override;
  void event_is_complete(Engine&, std::uint32_t) override {}
  void called(Engine& engine, std::uint32_t value) override;
  std::string blocked() const override { return {}; }

 private:
  struct Kernel {
    QueueType queue;
    bool collective;
    std::vector<std::uint32_t> tasks;
  };
  // What called() is called for.
  enum Call : std::uint32_t { kLaunched, kMet };

  void start_kernel(Engine& engine);
  void deal(Engine& engine);
  void take(Engine& engine, std::uint32_t worker);
  void end_kernel(Engine& engine);
  std::uint32_t worker_of(const Kernel& kernel, std::uint32_t i) const;

  Device& device_;
  std::vector<Kernel> kernels_;  // in the order of the operators' stages
  std::size_t kernel_ = 0;
  std::vector<std::vector<std::uint32_t>> dealt_;  // by worker: the kernel's tasks, the last one first
  std::uint32_t unfinished_ = 0;
};

}  // namespace a3sim
