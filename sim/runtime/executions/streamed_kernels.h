#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "models/taskflow/taskflow.h"
#include "sim/runtime/execution.h"

namespace a3sim {

// Runs kernels in two parallel streams: one for those that move rows between ranks, one for all others. A
// kernel is an operator or, if RunOptions says so, its rows of some experts or of some source ranks. It is
// launched when the previous kernel of its stream has ended, the events of all its tasks are complete, and
// the exchanges that bring its rows have ended on this rank. Its tasks are then dealt to the workers of their
// sets in turn. Workers that both streams may use run tasks in the order in which they were dealt. If the
// host's collectives move rows, all ranks meet before and after an exchange.
//
// Exchanges are ordered by operator, then part: all rows are sent out before the first ones return. Other
// kernels are ordered by the number of exchanges that their rows have been through (rows of all micro-batches are
// permuted before the first products, and summed after the last), then by micro-batch and part, then by operator.
// Operators that prepare rows for sending belong to the first part. Those without rows of a part (gradients of
// weights under parts of source ranks, and what follows them) belong to the last. Part 0 of source ranks is the rank
// itself. Postponed operators come after all others that have been through as many exchanges.
class StreamedKernels final : public Execution {
 public:
  explicit StreamedKernels(const ExecutionSite& site);

  void launch(Engine& engine) override;
  void worker_is_free(Engine& engine, std::uint32_t worker, std::uint32_t task) override;
  void event_is_complete(Engine& engine, std::uint32_t event) override;
  void on_event(Engine& engine, std::uint32_t value) override;
  std::string blocked() const override;

 private:
  struct Kernel {
    std::uint32_t op = 0, turn = 0;  // turn: orders by micro-batch, then part
    bool exchanges = false, postponed = false;
    std::vector<std::uint32_t> tasks;  // in queue order
    std::vector<std::uint32_t> next;   // kernels that wait for its end
    std::uint32_t missing = 0;         // events and kernels that it still waits for
    std::uint32_t unfinished = 0;      // tasks
    bool began = false, over = false;
    // If records are kept: when it could be launched, and the last thing that it waited for.
    Time ready;
    Cause cause;
  };
  // The meaning of on_event()'s argument, together with the kernel.
  enum Call : std::uint32_t { kLaunched, kMet, kOver, kCalls };

  void add_kernels();
  std::vector<std::uint32_t> parts_of_tasks() const;
  bool is_before_rows(const OperatorInfo& op) const;
  std::uint32_t part_of(const TaskDescriptor& td) const;
  std::vector<std::uint32_t> phases() const;
  void link_streams();
  void link_exchanges();
  void link_events();
  void precede(std::uint32_t before, std::uint32_t after);
  void begin(Engine& engine, std::uint32_t kernel, const Cause& cause);
  void deal(Engine& engine, std::uint32_t kernel);
  std::uint32_t worker_of(const Kernel& kernel, std::uint32_t i) const;
  void take(Engine& engine, std::uint32_t worker, const StartReason& why);
  void end(Engine& engine, std::uint32_t kernel, const Cause& cause);
  void finish(Engine& engine, std::uint32_t kernel, const Cause& cause);
  bool meets(const Kernel& kernel) const;
  // Returns the host's time for a collective before bytes move.
  Duration collective_work() const;

  const ExecutionSite& site_;
  bool collectives_;  // the host moves the rows
  std::uint32_t parts_ = 1;
  std::vector<Kernel> kernels_;                      // by operator, then part
  std::vector<std::uint32_t> kernel_of_;             // by task
  std::vector<std::vector<std::uint32_t>> waiting_;  // by event: kernels
  std::vector<std::deque<std::uint32_t>> dealt_;     // by worker: tasks
  std::vector<bool> busy_;                           // by worker
  bool launched_ = false;
};

}  // namespace a3sim
