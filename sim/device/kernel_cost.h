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

// The bytes and instructions of a vector kernel.
struct VectorKernel {
  double read = 0, written = 0;  // bytes
  VectorOps ops{};
  // Number of rows, if they are reduced one by one; 0: the order of elements does not matter.
  std::uint64_t rows = 0;
  std::uint32_t steps = 0;  // instructions on a row that each wait for the one before
  bool aligned = true;      // rows begin at lines
};

// Returns a tiling of products in bf16 for another type: as many bytes of K at a time.
Tiling tiling_for(Tiling tiling, DataType operands);

// Computes whole kernels as one job of their device's memory. CostModel gives the cost of their portions,
// which are dealt to the kernel's workers; operands come from the HBM once. How workers affect each other
// piece by piece in the L2 is not modelled.
class KernelCost {
 public:
  // Hardware and program must outlive the object.
  KernelCost(const Hardware& hardware, const Program& program, const Tiling& tiling)
      : cost_(hardware, program), tiling_(tiling) {}

  // Returns the job of one kernel's products, or of several kernels that fill each other's last waves
  // (grouped products in several streams). Product i is rows[i] x k by k x n; zero rows give no product.
  // Blocks are dealt in turn, continuing from one product to the next. Without products the job takes no
  // time.
  //
  // If `streams` is not 0, each product is a kernel of its own: those of a stream run one after another, in
  // parallel with the other streams, each on at most as many workers as it has blocks.
  // Operands have the type; results have 16 bits.
  MemoryJob products(std::span<const std::uint32_t> rows, std::uint32_t n, std::uint32_t k,
                     std::uint32_t workers, std::uint32_t streams = 0, DataType type = DataType::kBf16);
  // Returns the job of weight gradients: k x n each, summed over an expert's `rows`; an expert without rows
  // gets zeros.
  // Operands have the type; those of eight bits are stored so that both are read along rows.
  MemoryJob gradients(std::span<const std::uint32_t> rows, std::uint32_t n, std::uint32_t k,
                      std::uint32_t workers, std::uint32_t streams = 0, DataType type = DataType::kBf16);
  // Returns the job of a layer's product in its type; of operands in FP8 the result has 16 bits. If it accumulates, the
  // sum is read and written in fp32.
  MemoryJob product(const BlockProduct& product, std::uint32_t workers);
  MemoryJob vector(const VectorKernel& kernel, std::uint32_t workers) const;
  // Returns the job of flash attention. If vector work runs on other cores than products, scores pass through
  // the L2.
  MemoryJob attention(const BlockAttention& attention, std::uint32_t workers) const;

  const Hardware& hardware() const { return cost_.hardware(); }
  const Program& program() const { return cost_.program(); }

 private:
  struct Block {
    double later = 0, first = 0;  // picoseconds: after another block of its worker, and as the first one
    double l2_read = 0;           // bytes
    double arithmetic = 0, missing = 0;  // picoseconds of either, as in MemoryJob
  };
  // The types of operands and of the result.
  struct Form {
    DataType dtype = DataType::kBf16, weights = DataType::kBf16, result = DataType::kBf16;
    bool transposed = false;  // the left operand
    friend auto operator<=>(const Form&, const Form&) = default;
  };
  // Returns the cost of a block of rows x cols of a product on this many workers.
  Block block(const Gemm& product, std::uint32_t rows, std::uint32_t cols, std::uint32_t workers, Form form);
  MemoryJob job(const std::vector<Gemm>& products, std::uint32_t workers, Form form,
                std::uint32_t streams = 0);
  Duration row_by_row(const VectorKernel& kernel, std::uint32_t workers) const;

  CostModel cost_;
  Tiling tiling_;
  // The known blocks. A block depends on m in blocks, n, k, rows, cols, workers and form.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                      std::uint32_t, Form>,
           Block>
      blocks_;
};

}  // namespace a3sim
