#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/operators/work.h"
#include "sim/device/hardware.h"
#include "sim/memory/l2/l2.h"

namespace a3sim {

// A rectangle of a tensor that a portion or a put reads or writes. `pitch`: bytes from one row of its tensor
// to the next.
struct TensorAccess {
  L2Access l2;
  std::uint32_t pitch = 0;
  // For a load to L1: the adjacent bytes that one of its instructions moves; 0: whole rows.
  std::uint32_t row_bytes = 0;

  std::uint64_t bytes() const { return std::uint64_t{l2.rows.size()} * (l2.byte_end - l2.byte_begin); }
  bool same_place(const TensorAccess& other) const;
  // Returns equal values for accesses to the same place.
  std::uint32_t place_hash() const { return (l2.rows.begin * 31 + l2.byte_begin) * 31 + index(l2.tensor); }
};

// The part of a task that is simulated at once: a base block of a matrix task (or part of its K if that is
// long), or as many rows of a vector task as fill the UB.
struct TaskPortion {
  static constexpr std::uint32_t kMostAccesses = 4;
  std::array<TensorAccess, kMostAccesses> accesses;
  std::uint32_t count = 0;
  bool first = false;  // the first portion of its task
  bool cube = false;

  // Cube portions. If a block's K continues in the next portion, its result stays in L0C.
  std::uint32_t rows = 0, cols = 0, k = 0;
  bool finishes_block = false;
  std::uint32_t block_k = 0;  // sum over the block's portions
  // The numbers of cores that read the same lines of A, and of B, at once if all proceed alike.
  std::uint32_t readers_a = 1, readers_b = 1;
  // The numbers of cores that fetch A, and B, together, each beginning at another part (Tiling::rotate_k).
  std::array<std::uint32_t, 2> fetchers{1, 1};

  // Vector portions: elements for each class of instruction.
  double simple = 0, convert = 0, transcendental = 0;
  double dependent = 0;  // instructions that each wait for the one before
  double loads = 0;      // loads that each wait for the one before

  std::span<const TensorAccess> all() const { return {accesses.data(), count}; }
};

// The properties of a task's accesses in the L2, apart from their place within a tensor.
struct AccessStyle {
  std::uint32_t first_tensor = 0;  // the L2's number of the schedule's tensor 0
  OpId op{};
  L2Hint read = L2Hint::kNormal, write = L2Hint::kNormal;
};

// The portions of one task, in order.
class TaskPortions {
 public:
  // Starts a task. `work` and `hardware` must outlive the portions; `work` must not change. `goes_on`: the
  // previous task has already loaded the start of the first portion.
  void start(const Work& work, const Hardware& hardware, const AccessStyle& style = {}, bool goes_on = false);
  // Returns false if there is no further portion.
  bool next(TaskPortion& portion);

 private:
  bool next_cube(TaskPortion& portion);
  bool next_vector(TaskPortion& portion);
  void block_accesses(TaskPortion& portion, const BlockGrid::Block& block) const;
  void style(TensorAccess& access) const;

  const Work* work_ = nullptr;
  AccessStyle style_;
  BlockWalk walk_;
  std::uint32_t k_ = 0;  // the start of the block's next portion
  std::uint32_t part_ = 0, parts_ = 0;
  bool first_ = true;
};

}  // namespace a3sim
