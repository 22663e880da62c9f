#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/taskflow/taskflow.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/executions/static_execution.h"

namespace a3sim {

// Runs kernels one after another in one stream: the host launches each when the previous one has finished. A
// kernel is
//   - an operator: its tasks are dealt to the workers in turn. They wait for no events and fetch no
//     descriptors. If puts move the rows, all ranks meet after a kernel of puts;
//   - a collective of the host, for an operator that puts: all ranks meet, each sends to all others at once,
//     and all meet again;
//   - all tasks between two collectives under the static schedule, if they run as tiles;
//   - the operators of one list of RunOptions::kernels, as tiles too. Their tasks wait for events of
//     other ranks, and ranks do not meet.
// If vector operators are fused, consecutive ones are phases of one kernel: between two phases the AIVs of a
// rank meet (SyncAll), and nothing is launched. The rows that a phase puts are followed by status words, one
// per expert: the next phase waits until the words of all ranks have arrived.
class KernelExecution final : public Execution {
 public:
  // The sets of operators that form a kernel. Operators that collectives carry out are always kernels of
  // their own.
  enum class Cut : std::uint8_t { kOperator, kFused, kTiles, kLists };
  KernelExecution(const ExecutionSite& site, Cut cut);

  void launch(Engine& engine) override;
  void worker_is_free(Engine& engine, std::uint32_t worker, std::uint32_t task) override;
  void event_is_complete(Engine& engine, std::uint32_t event) override;
  void on_event(Engine& engine, std::uint32_t value) override;
  std::string blocked() const override;

 private:
  struct Kernel {
    bool puts = false;  // its operator sends rows to other ranks
    std::uint32_t first_op = 0;
    std::vector<std::uint32_t> tasks;  // in queue order
    std::unique_ptr<StaticExecution> tiles;
  };
  // The meaning of on_event()'s argument.
  enum Call : std::uint32_t { kLaunched, kMet };

  void add_kernels(const std::vector<std::uint32_t>& operators, bool tiles);
  void add_lists(const std::vector<std::vector<std::string>>& kernels);
  bool meets(const Kernel& kernel) const;
  void find_gaps(bool fused);
  Duration gap() const;
  void start_kernel(Engine& engine);
  void deal(Engine& engine);
  void take(Engine& engine, std::uint32_t worker, const StartReason& why);
  void end_kernel(Engine& engine);
  std::uint32_t worker_of(const Kernel& kernel, std::uint32_t i) const;
  // These record activities and causes, if records are kept.
  void record_launch(Time now);
  void record_collective(Time now);
  void record_end(std::uint32_t worker, std::uint32_t task, Time now);
  void record_host(const HostActivity& activity);
  StartReason first_start(std::uint32_t worker, Time now) const;

  const ExecutionSite& site_;
  bool collectives_;  // the host moves the rows
  // One entry per operator, for when it is the first of a kernel that follows others: the time until its
  // tasks run, from the end of the previous kernel, or from when ranks that had to meet have heard of one
  // another.
  std::vector<Duration> gaps_;
  std::vector<Kernel> kernels_;
  std::size_t kernel_ = 0;
  std::size_t launched_ = 0;                       // kernels whose launch was requested of the host
  std::vector<std::vector<std::uint32_t>> dealt_;  // by worker: the kernel's tasks, in reverse order
  std::uint32_t unfinished_ = 0;

  bool met_ = false;  // the ranks met after the previous kernel
  // If records are kept: what let the host, or the rank's workers, begin what comes next; the total time that
  // the host has worked; and, by worker, the end of its last task and how long the host had worked by then.
  Cause last_;
  Time last_at_;
  Duration host_worked_{};
  struct Freed {
    bool ran = false;
    Time at;
    Duration host_worked{};
  };
  std::vector<Freed> freed_;
};

// Sets the start of matrix tasks to zero, since the host prepares a kernel's products.
void prepare_products(Program& program);

}  // namespace a3sim
