#pragma once

#include <memory>
#include <string>
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
//   - if the tasks between two collectives run as tiles: all of them, under the static schedule;
//   - if RunOptions::kernels says so, the operators of one of its lists, likewise as tiles. Their tasks wait for events of
//     other ranks, and ranks do not meet.
// Where vector operators are fused, those that follow one another are phases of one kernel: between two of them
// the AIVs of a rank meet (SyncAll), and nothing is launched. Behind the rows that a phase puts go status words,
// one an expert: the next phase waits until those of all ranks are there.
class KernelExecution final : public Execution {
 public:
  // What is a kernel of its own, beside the operators that put where collectives do it.
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
  // What on_event() is called for.
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
  // What is recorded, if anything is.
  void record_launch(Time now);
  void record_collective(Time now);
  void record_end(std::uint32_t worker, std::uint32_t task, Time now);
  void record_host(const HostActivity& activity);
  StartReason first_start(std::uint32_t worker, Time now) const;

  const ExecutionSite& site_;
  bool collectives_;  // the host moves the rows
  // By operator, were it the first of a kernel behind others: from the end of the kernel before it, or from when
  // the ranks that had to meet have heard of one another, until its tasks run.
  std::vector<Duration> gaps_;
  std::vector<Kernel> kernels_;
  std::size_t kernel_ = 0;
  std::size_t launched_ = 0;                       // kernels that the host was asked for
  std::vector<std::vector<std::uint32_t>> dealt_;  // by worker: the kernel's tasks, the last one first
  std::uint32_t unfinished_ = 0;

  bool met_ = false;  // the ranks met behind the kernel before
  // If records are kept: what let the host, or the rank's workers, begin with what comes next; how long the host
  // has worked, and by worker when its last task ended and how long the host had worked then.
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

// The host has prepared a kernel's products: their tasks need no start of their own.
void prepare_products(Program& program);

}  // namespace a3sim
