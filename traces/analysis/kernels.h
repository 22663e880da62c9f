#pragma once

#include <vector>

#include "traces/analysis/causes.h"

namespace a3sim {

// The stream of kernels that the host launches on each rank: its dates follow from the tasks' by the rules of
// the stream. A kernel is an operator; with collectives under a static schedule, all operators between two of
// them, whose tasks wait for each other as they do in one kernel.
class Kernels {
 public:
  struct Kernel {
    Duration launched{}, dealt{}, ended{};  // it may begin; its tasks may; the last of them has ended
    std::uint32_t last = kNone;             // the task that ended last; none where it has no tasks
  };

  // Throws InputError where tasks start before their kernel can.
  explicit Kernels(const Causes& causes);

  std::uint32_t count() const { return static_cast<std::uint32_t>(first_op_.size()); }
  // Its first operator, and the kernel of an operator.
  std::uint32_t op(std::uint32_t kernel) const { return first_op_[kernel]; }
  std::uint32_t of(std::uint32_t op) const { return kernel_of_[op]; }
  // Whether all ranks meet after it, and before it.
  Duration launch_of(std::uint32_t kernel) const;
  bool meets(std::uint32_t kernel) const;
  bool meets_before(std::uint32_t kernel) const { return trace_.machine.collectives && meets(kernel); }
  const Kernel& at(std::uint32_t rank, std::uint32_t kernel) const { return ranks_[rank][kernel]; }
  // The rank that comes last to a kernel that meets, and the one whose part of it ends last.
  std::uint32_t last_to_come(std::uint32_t kernel) const { return last_by(kernel, &Kernel::launched); }
  std::uint32_t last_to_end(std::uint32_t kernel) const { return last_by(kernel, &Kernel::ended); }

 private:
  void group_operators();
  void find_ends();
  void run(std::uint32_t kernel);
  std::uint32_t last_by(std::uint32_t kernel, Duration Kernel::* date) const;

  const Trace& trace_;
  std::vector<std::uint32_t> first_op_, kernel_of_;  // by kernel; by operator
  std::vector<std::vector<Kernel>> ranks_;
};

}  // namespace a3sim
