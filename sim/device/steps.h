#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/operators/work.h"
#include "sim/device/hardware.h"
#include "sim/memory/l2/l2.h"

namespace a3sim {

// A rectangle that a step reads or writes. `pitch`: bytes from one row of its tensor to the next.
struct StepAccess {
  L2Access l2;
  std::uint32_t pitch = 0;
  // Of a load to L1: how much lies together of what one of its instructions brings; 0: whole rows.
  std::uint32_t row_bytes = 0;

  std::uint64_t bytes() const { return std::uint64_t{l2.rows.size()} * (l2.byte_end - l2.byte_begin); }
  bool same_place(const StepAccess& other) const;
  // Equal for accesses to the same place.
  std::uint32_t place_hash() const { return (l2.rows.begin * 31 + l2.byte_begin) * 31 + index(l2.tensor); }
};

// What is simulated as one: a base block of a matrix task (a part of its K, where that is long), or as many
// rows of a vector task as fill the UB.
struct Step {
  static constexpr std::uint32_t kMostAccesses = 4;
  std::array<StepAccess, kMostAccesses> accesses;
  std::uint32_t count = 0;
  bool first = false;  // of its task
  bool cube = false;

  // Cube. A block's K may go on in the next step: its result then stays in L0C.
  std::uint32_t rows = 0, cols = 0, k = 0;
  bool finishes_block = false;
  std::uint32_t block_k = 0;  // of all of the block's steps
  // How many cores read the lines of A, and of B, at the same time, if all run alike.
  std::uint32_t readers_a = 1, readers_b = 1;

  // Vector: elements through each class of instruction.
  double simple = 0, convert = 0, transcendental = 0;

  std::span<const StepAccess> all() const { return {accesses.data(), count}; }
};

// How a task's accesses come to the L2, beside the place within a tensor.
struct AccessStyle {
  std::uint32_t first_tensor = 0;  // there, of those that its schedule numbers from 0
  OpId op{};
  L2Hint read = L2Hint::kNormal, write = L2Hint::kNormal;
};

// The steps of one task, in order.
class TaskSteps {
 public:
  // `work` and `hardware` must outlive the steps, and `work` not change.
  void start(const Work& work, const Hardware& hardware, const AccessStyle& style = {});
  // False when there is no step any more.
  bool next(Step& step);

 private:
  bool next_cube(Step& step);
  bool next_vector(Step& step);
  void block_accesses(Step& step, const BlockGrid::Block& block) const;
  void style(StepAccess& access) const;

  const Work* work_ = nullptr;
  AccessStyle style_;
  BlockWalk walk_;
  std::uint32_t k_ = 0;  // where the block's next step begins
  std::uint32_t part_ = 0, parts_ = 0;
  bool first_ = true;
};

}  // namespace a3sim
