#pragma once

#include <memory>
#include <vector>

#include "models/taskflow/taskflow.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/executions/static_execution.h"

namespace a3sim {

// Kernels run one after the other in one stream: each is launched from the host when the one before has
// finished. A kernel is
//   - an operator: its tasks are dealt to the workers in turn; there are no events to wait for and no
//     descriptors to fetch. Where puts move the rows, all ranks meet behind a kernel of puts.
//   - a collective of the host, for operators that put: all ranks meet, each sends to all others at a time,
//     and all meet again;
//   - if the tasks between two collectives run as tiles: all of them, under the static schedule.
class KernelExecution final : public Execution {
 public:
  KernelExecution(const ExecutionSite& site, bool tiles);

  void launch(Engine& engine) override { start_kernel(engine); }
  void worker_is_free(Engine& engine, std::uint32_t worker) override;
  void event_is_complete(Engine& engine, std::uint32_t event) override;
  void on_event(Engine& engine, std::uint32_t value) override;
  std::string blocked() const override;

 private:
  struct Kernel {
    QueueType queue = QueueType::kVtq;
    bool puts = false;                 // its operator sends rows to other ranks
    std::vector<std::uint32_t> tasks;  // in queue order
    std::unique_ptr<StaticExecution> tiles;
  };
  // What on_event() is called for.
  enum Call : std::uint32_t { kLaunched, kMet };

  void add_kernels(const std::vector<std::uint32_t>& operators, bool tiles);
  bool meets(const Kernel& kernel) const;
  void start_kernel(Engine& engine);
  void deal(Engine& engine);
  void take(Engine& engine, std::uint32_t worker);
  void end_kernel(Engine& engine);
  std::uint32_t worker_of(const Kernel& kernel, std::uint32_t i) const;

  const ExecutionSite& site_;
  bool collectives_;  // the host moves the rows
  std::vector<Kernel> kernels_;
  std::size_t kernel_ = 0;
  std::vector<std::vector<std::uint32_t>> dealt_;  // by worker: the kernel's tasks, the last one first
  std::uint32_t unfinished_ = 0;
};

}  // namespace a3sim
