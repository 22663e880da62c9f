#pragma once

#include <vector>

#include "traces/causes.h"

namespace a3sim {

// The stream of kernels of a run that went kernel by kernel, a kernel an operator: its dates follow from the
// tasks' by the rules of the stream.
class Kernels {
 public:
  struct Kernel {
    Duration launched{}, dealt{}, ended{};  // it may begin; its tasks may; the last of them has ended
    std::uint32_t last = kNone;             // the task that ended last; none where it has no tasks
  };

  // Throws InputError where tasks start before their kernel can.
  explicit Kernels(const Causes& causes);

  std::uint32_t count() const { return static_cast<std::uint32_t>(order_.size()); }
  std::uint32_t op(std::uint32_t kernel) const { return order_[kernel]; }
  std::uint32_t of(std::uint32_t op) const { return place_[op]; }
  // Whether all ranks meet before and after it.
  bool meets(std::uint32_t kernel) const;
  const Kernel& at(std::uint32_t rank, std::uint32_t kernel) const { return ranks_[rank][kernel]; }
  // The rank that comes last to a kernel that meets, and the one whose part of it ends last.
  std::uint32_t last_to_come(std::uint32_t kernel) const;
  std::uint32_t last_to_end(std::uint32_t kernel) const;

 private:
  void run(std::uint32_t rank, std::uint32_t kernel);

  const Trace& trace_;
  std::vector<std::uint32_t> order_, place_;  // operators by stage; where each one stands
  std::vector<std::vector<Kernel>> ranks_;
};

}  // namespace a3sim
