#pragma once

#include <cstdint>
#include <vector>

#include "models/taskflow/block_grid.h"
#include "models/taskflow/taskflow.h"

// The work of a task in the machine's terms, without rates: sim/device turns it into time.
namespace a3sim {

enum class WorkKind : std::uint8_t { kNothing, kCube, kVector, kPut };

// One product of a grouped matrix product, for one expert: C[m x n] = A[m x k] B[k x n]. `a_row`, `b_row` and
// `c_row` are the first real rows of A, B and C in their tensors.
struct Gemm {
  std::uint32_t m, n, k;
  std::uint32_t a_row, b_row, c_row;
};

// Real rows that a vector task reads or writes.
struct Stream {
  TensorId tensor;
  RankId rank;
  Rows rows;
  std::uint64_t bytes;
  bool write;
  // If set, the task reads `bytes` from rows of `row_bytes` in no particular order. `gather_at` distinguishes
  // tasks.
  bool gather = false;
  std::uint32_t row_bytes = 0, gather_at = 0;
  std::uint32_t pitch = 0;  // bytes of a row without scales, which lie elsewhere; 0: of a row
};

// Elements that pass through each class of vector instruction.
struct VectorOps {
  std::uint64_t simple_fp32 = 0;     // add, multiply, compare
  std::uint64_t convert = 0;         // between 16 and 32 bits
  std::uint64_t transcendental = 0;  // exponential, division
  // Vector instructions that each wait for the one before: those of a loop that handles one row at a time.
  std::uint64_t dependent = 0;
  std::uint64_t loads = 0;     // loads of a loop that has one of them under way at a time
  std::uint64_t scalar = 0;    // stores of the scalar unit to global memory
  std::uint64_t sorted = 0;    // elements in each pass of a sort or a merge
  std::uint64_t routed = 0;    // rows whose place and scale the scalar unit finds
  std::uint64_t barriers = 0;  // barriers of a device's cores
};

// The work of one task, filled by its operator. Reused, so that the simulation's loop does not allocate.
struct Work {
  WorkKind kind = WorkKind::kNothing;
  std::uint32_t worker_kind = kNone;  // the kind of worker that runs the task, if it matters

  // kCube: the base blocks b = share (mod shares) of each product's grid. With `count_on`, block numbers
  // continue from one product to the next; otherwise each product starts at 0.
  std::vector<Gemm> gemms;
  std::uint32_t share = 0, shares = 1;
  bool count_on = false;
  Tiling tiling;
  DataType dtype = DataType::kBf16;    // of A
  DataType weights = DataType::kBf16;  // of B
  DataType result = DataType::kBf16;   // of C
  TensorId a{}, b{}, c{};
  bool a_transposed = false, b_transposed = false;
  std::uint32_t a_pitch = 0, b_pitch = 0;  // bytes between rows of the tensor
  // Set for the weight gradient of an expert without rows: C is written, nothing is read.
  bool zero_fill = false;

  // kVector
  VectorOps ops;
  // kVector and kPut (reads on `src`, writes on `dst`)
  std::vector<Stream> streams;

  // kPut: bytes go from `src` to `dst`; one of them is the rank that runs the task.
  RankId src{};
  RankId dst{};
  std::uint64_t put_bytes = 0;
  // kPut: the number of pieces of a stream of copies; 0: the put is a single one, which starts up and is fenced.
  std::uint64_t put_pieces = 0;

  // True if moving a block out of L0C overlaps the next block's products.
  bool drain_overlaps() const {
    return tiling.unit_flag == UnitFlag::kOn ||
           (tiling.unit_flag == UnitFlag::kUnlessTransposed && !a_transposed);
  }
  // Clears everything but keeps the allocated memory.
  void clear();
  // Returns the bytes that streams read or write; 0 for kCube.
  std::uint64_t stream_bytes(bool write) const;
  // Returns the multiply-accumulates of this share.
  std::uint64_t macs() const;
  // Returns two operations per multiply-accumulate; for vector work, one per element and instruction.
  std::uint64_t operations() const;
};

// Iterates over the base blocks of a cube task's share.
class BlockWalk {
 public:
  BlockWalk() = default;
  // `work` must outlive the walk.
  explicit BlockWalk(const Work& work) : work_(&work), block_(work.share) { skip_empty(); }

  bool done() const { return product_ == work_->gemms.size(); }
  const Gemm& gemm() const { return work_->gemms[product_]; }
  BlockGrid::Block block() const { return grid_.block(at_); }
  // Returns how many shares multiply the same rows and the same columns if all proceed at one pace.
  BlockGrid::Readers readers() const { return grid_.readers(block_, at_, work_->shares); }
  void next() {
    block_ += work_->shares;
    if (!take()) skip_empty();
  }

 private:
  // Advances to the product's next block that is not empty; returns false if there is none.
  bool take() {
    for (; block_ < count_; block_ += work_->shares) {
      at_ = grid_.place(block_);
      if (!grid_.block(at_).empty()) return true;
    }
    return false;
  }
  // Advances to the first product that has the block.
  void skip_empty();

  const Work* work_ = nullptr;
  std::size_t product_ = 0;
  std::uint32_t block_ = 0, count_ = 0;
  bool started_ = false;
  BlockGrid grid_;
  BlockGrid::Place at_{};  // place of the block
};

}  // namespace a3sim
