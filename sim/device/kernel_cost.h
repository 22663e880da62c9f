#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "models/blocks/block.h"
#include "models/operators/work.h"
#include "sim/device/cost.h"
#include "sim/memory/memory.h"

namespace a3sim {

// What a vector kernel moves and computes.
struct VectorKernel {
  double read = 0, written = 0;  // bytes
  VectorOps ops{};
  std::uint64_t rows = 0;   // that are reduced one by one; 0: elements in no order
  std::uint32_t steps = 0;  // instructions on a row that wait for one another
  bool aligned = true;      // rows begin at lines
};

// Whole kernels as one job of their device's memory: their steps cost what CostModel says, dealt to the
// workers that the kernel holds, and operands come from the HBM once. What workers do to each other in the
// L2, piece by piece, is not looked at.
class KernelCost {
 public:
  // Hardware and program must outlive it.
  KernelCost(const Hardware& hardware, const Program& program, const Tiling& tiling)
      : cost_(hardware, program), tiling_(tiling) {}

  // Products of one kernel, or of several that fill each other's last waves (grouped products in several
  // streams): `rows` x k by k x n each, none for zero rows; blocks are dealt in turn, on from one to the
  // next. No product: a job without time.
  //
  // With `streams` each product is a kernel of its own: a stream's run one after the other, side by side with those of the
  // other streams, each on as many workers as it has blocks for at most.
  MemoryJob products(std::span<const std::uint32_t> rows, std::uint32_t n, std::uint32_t k,
                     std::uint32_t workers, std::uint32_t streams = 0);
  // Weight gradients: k x n each, over its `rows`; zeros for an expert without rows.
  MemoryJob gradients(std::span<const std::uint32_t> rows, std::uint32_t n, std::uint32_t k,
                      std::uint32_t workers, std::uint32_t streams = 0);
  // A product of a layer: in its type, and where it accumulates with the sum in fp32 read and written.
  MemoryJob product(const BlockProduct& product, std::uint32_t workers);
  MemoryJob vector(const VectorKernel& kernel, std::uint32_t workers) const;
  // Flash attention; on devices whose matrix cores have vector work done by others, scores go through the L2.
  MemoryJob attention(const BlockAttention& attention, std::uint32_t workers) const;

  const Hardware& hardware() const { return cost_.hardware(); }
  const Program& program() const { return cost_.program(); }

 private:
  struct Block {
    double later = 0, first = 0;  // picoseconds, behind another block of its worker and not
    double l2_read = 0;           // bytes
  };
  // The types of operands and of the result.
  struct Form {
    DataType dtype = DataType::kBf16, result = DataType::kBf16;
    bool transposed = false;  // the left operand
    friend auto operator<=>(const Form&, const Form&) = default;
  };
  // Of a product m x n over k, on so many workers: its block of rows x cols.
  Block block(const Gemm& product, std::uint32_t rows, std::uint32_t cols, std::uint32_t workers, Form form);
  MemoryJob job(const std::vector<Gemm>& products, std::uint32_t workers, Form form,
                std::uint32_t streams = 0);
  Duration row_by_row(const VectorKernel& kernel, std::uint32_t workers) const;

  CostModel cost_;
  Tiling tiling_;
  // By m in blocks, n, k, rows, cols, workers and form: all that a block depends on.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                      std::uint32_t, Form>,
           Block>
      blocks_;
};

}  // namespace a3sim
