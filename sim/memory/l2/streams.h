#pragma once

#include <cstdint>
#include <vector>

#include "models/taskflow/block_grid.h"
#include "sim/memory/l2/l2.h"

// The access streams of kernels on idealised cores: what the modes of the L2 are compared on.
namespace a3sim {

struct TimedAccess {
  std::uint64_t time = 0;
  std::uint32_t core = 0;
  L2Access access;
};

// A matrix that lies in a tensor from a row on; transposed: its columns are the tensor's rows.
struct Operand {
  TensorId tensor{};
  std::uint32_t first_row = 0;
  bool transposed = false;
};

struct MatmulWalk {
  std::uint32_t m = 0, n = 0, k = 0;
  Operand a, b, c;  // C[m x n] = A[m x k] B[k x n]
  std::uint32_t element_bytes = 2;
  std::uint32_t base_m = 128, base_n = 256;
  std::uint32_t load_k = 256;  // columns of A and rows of B that one load to L1 brings
  BlockOrder order = BlockOrder::kRowMajor;
  OpId op{};
};

// Cores that take blocks in turn, each at its own time. Time is counted in loads of K.
class StreamBuilder {
 public:
  // `offsets`: when each core starts.
  explicit StreamBuilder(std::vector<std::uint64_t> offsets) : clock_(std::move(offsets)) {}

  // Block b goes to core b mod cores, counted on across matmuls. Of each block, A and B are accessed in
  // segments of `segment_k` (a multiple of load_k) at the time of the segment's first load, C at its end.
  void matmul(const MatmulWalk& walk, std::uint32_t segment_k);

  // The next block goes to this core.
  void start_at(std::uint32_t core) { next_core_ = core; }

  // One access by a core, which then takes `duration`.
  void access(std::uint32_t core, const L2Access& access, std::uint64_t duration);

  // All cores go on when the last is done.
  void barrier();

  std::uint32_t cores() const { return static_cast<std::uint32_t>(clock_.size()); }
  // In order of time; at one time in order of core.
  std::vector<TimedAccess> take();

 private:
  void block(const MatmulWalk& walk, std::uint32_t core, BlockGrid::Place place, std::uint32_t segment_k);

  std::vector<std::uint64_t> clock_;
  std::vector<TimedAccess> accesses_;
  std::uint32_t next_core_ = 0;
};

// Makes all accesses, in order; what they came to together.
L2Traffic replay(L2& l2, const std::vector<TimedAccess>& accesses);

}  // namespace a3sim
