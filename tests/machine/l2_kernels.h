#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/taskflow/block_grid.h"
#include "sim/core/rng.h"
#include "sim/memory/l2/l2.h"

// Kernels as streams of accesses by idealised cores, to compare the two models of the L2.
namespace a3sim {

struct TimedAccess {
  std::uint64_t time = 0;
  std::uint32_t core = 0;
  L2Access access;
};

struct L2Kernel {
  std::vector<L2Tensor> tensors;
  std::uint32_t ops = 0;
  std::vector<TimedAccess> accesses;  // sorted by time, then core
};

// Makes all accesses in order and returns their total counts.
inline L2Traffic replay(L2& l2, const L2Kernel& kernel) {
  L2Traffic traffic;
  for (const TimedAccess& timed : kernel.accesses) traffic += l2.access(timed.access);
  return traffic;
}

// The delays between the starts of a matrix kernel's cores.
enum class Skew : std::uint8_t {
  kNone,
  kStep,   // each starts a load later than the one before
  kRandom  // each starts up to a block later, from a seed
};
constexpr auto names_of(Skew) { return std::to_array<std::string_view>({"lockstep", "step", "random"}); }

inline constexpr std::uint32_t kLoadK = 256;  // columns of A and rows of B per load to L1
inline constexpr std::uint32_t kElementBytes = 2;

// A matrix in a tensor, from a row on. If transposed, its columns are the tensor's rows.
struct Operand {
  std::uint32_t tensor = 0, first_row = 0;
  bool transposed = false;
};

// C[m x n] = A[m x k] B[k x n]
struct Product {
  std::uint32_t m = 0, n = 0, k = 0;
  Operand a, b, c;
  BlockOrder order = BlockOrder::kRowMajor;
  std::uint32_t op = 0;
};

// Builds a kernel from cores that take blocks in turn, each at its own time: loads of K for products, bytes
// for vector work.
class KernelBuilder {
 public:
  // `offsets` are the starts of the cores.
  KernelBuilder(std::vector<L2Tensor> tensors, std::uint32_t ops, std::vector<std::uint64_t> offsets)
      : kernel_{std::move(tensors), ops, {}}, clock_(std::move(offsets)) {}

  // Adds a product. Block b goes to core b mod cores. A and B of a block are accessed in segments of
  // `segment_k` (a multiple of kLoadK) at the time of the segment's first load, C at its end.
  void product(const Product& p, std::uint32_t segment_k) {
    Tiling tiling;
    tiling.order = p.order;
    const BlockGrid grid(p.m, p.n, tiling);
    for (std::uint32_t b = 0; b < grid.count(); ++b) {
      const auto core = static_cast<std::uint32_t>(b % clock_.size());
      const BlockGrid::Block block = grid.block(b);
      const Rows m{block.row, block.row + block.rows}, n{block.col, block.col + block.cols};
      for (std::uint32_t begin = 0; begin < p.k; begin += segment_k) {
        const Rows k{begin, std::min(p.k, begin + segment_k)};
        access(core, rectangle(p.a, m, k, p.op, false), 0);
        access(core, rectangle(p.b, k, n, p.op, false), (k.size() + kLoadK - 1) / kLoadK);
      }
      access(core, rectangle(p.c, m, n, p.op, true), 0);
    }
  }

  // Accesses all columns of some rows.
  void rows(std::uint32_t core, std::uint32_t tensor, Rows rows, std::uint32_t op, bool write) {
    const std::uint32_t row_bytes = kernel_.tensors[tensor].row_bytes;
    access(core, {TensorId{tensor}, rows, 0, row_bytes, OpId{op}, write},
           std::uint64_t{rows.size()} * row_bytes);
  }

  // Makes all cores wait for the last one.
  void barrier() { std::ranges::fill(clock_, *std::ranges::max_element(clock_)); }

  L2Kernel take() {
    std::ranges::stable_sort(kernel_.accesses, {},
                             [](const TimedAccess& a) { return std::pair(a.time, a.core); });
    return std::move(kernel_);
  }

 private:
  static L2Access rectangle(const Operand& matrix, Rows rows, Rows cols, std::uint32_t op, bool write) {
    if (matrix.transposed) std::swap(rows, cols);
    return {TensorId{matrix.tensor},
            {matrix.first_row + rows.begin, matrix.first_row + rows.end},
            cols.begin * kElementBytes,
            cols.end * kElementBytes,
            OpId{op},
            write,
            L2Hint::kNormal,
            CoreUnit::kMatrix};
  }

  void access(std::uint32_t core, const L2Access& access, std::uint64_t duration) {
    kernel_.accesses.push_back({clock_[core], core, access});
    clock_[core] += duration;
  }

  L2Kernel kernel_;
  std::vector<std::uint64_t> clock_;
};

inline std::vector<std::uint64_t> start_offsets(Skew skew, std::uint32_t cores, std::uint32_t k) {
  std::vector<std::uint64_t> result(cores);
  Rng rng(1);
  for (std::uint32_t core = 0; core < cores; ++core) {
    if (skew == Skew::kStep) result[core] = core;
    if (skew == Skew::kRandom) result[core] = rng.below((k + kLoadK - 1) / kLoadK);
  }
  return result;
}

inline L2Tensor tensor_of(std::uint32_t rows, std::uint32_t cols, std::uint32_t parts = 1) {
  L2Tensor result{rows * parts, cols * kElementBytes, {}};
  for (std::uint32_t part = 0; part < parts; ++part) result.parts.push_back(part * rows);
  return result;
}

inline constexpr std::uint32_t kCubeCores = 25, kVectorCores = 50;

struct MatmulCase {
  std::uint32_t m = 0, n = 0, k = 0;
  BlockOrder order = BlockOrder::kRowMajor;
  Skew skew = Skew::kNone;
};
inline L2Kernel matmul_kernel(const MatmulCase& what, std::uint32_t segment_k) {
  KernelBuilder builder({tensor_of(what.m, what.k), tensor_of(what.k, what.n), tensor_of(what.m, what.n)}, 1,
                        start_offsets(what.skew, kCubeCores, what.k));
  builder.product({what.m, what.n, what.k, {0}, {1}, {2}, what.order}, segment_k);
  return builder.take();
}

struct SwiGluAddCase {
  std::uint32_t rows = 0;
  std::uint32_t tile_rows = 64;
  // Worker i mod workers does SwiGLU i, then Add i; else one kernel after the other.
  bool interleaved = false;
};
// Returns SwiGLU (operator 0), rows x 4096 -> half as many columns, and Add (operator 1) of its result and
// another tensor. As kernels, each worker has an equal slab of rows.
inline L2Kernel swiglu_add_kernel(const SwiGluAddCase& what) {
  constexpr std::uint32_t kIn = 0, kActivation = 1, kOther = 2, kSum = 3, kCols = 4096;
  std::vector<L2Tensor> tensors(4, tensor_of(what.rows, kCols / 2));
  tensors[kIn] = tensor_of(what.rows, kCols);
  KernelBuilder builder(std::move(tensors), 2, std::vector<std::uint64_t>(kVectorCores));
  const auto tile = [&](std::uint32_t core, std::uint32_t op, std::uint32_t begin, std::uint32_t end) {
    const Rows rows{begin, std::min(end, begin + what.tile_rows)};
    builder.rows(core, op == 0 ? kIn : kActivation, rows, op, false);
    if (op == 1) builder.rows(core, kOther, rows, op, false);
    builder.rows(core, op == 0 ? kActivation : kSum, rows, op, true);
  };
  if (what.interleaved) {
    for (std::uint32_t begin = 0, i = 0; begin < what.rows; begin += what.tile_rows, ++i) {
      for (std::uint32_t op = 0; op < 2; ++op) tile(i % kVectorCores, op, begin, what.rows);
    }
    return builder.take();
  }
  for (std::uint32_t op = 0; op < 2; ++op, builder.barrier()) {
    for (std::uint64_t core = 0; core < kVectorCores; ++core) {
      const auto end = static_cast<std::uint32_t>((core + 1) * what.rows / kVectorCores);
      auto begin = static_cast<std::uint32_t>(core * what.rows / kVectorCores);
      for (; begin < end; begin += what.tile_rows) tile(static_cast<std::uint32_t>(core), op, begin, end);
    }
  }
  return builder.take();
}

struct BackwardCase {
  std::uint32_t experts = 8, rows = 4096, hidden = 7168, intermediate = 2048;  // rows of each expert
  bool interleaved = false;  // the two consumers of a gradient alternate by expert; else one after the other
  BlockOrder order = BlockOrder::kDiagonal;
  Skew skew = Skew::kNone;
};
// Returns the matrix products of an MoE layer's backward pass on one rank, in this order of operators:
// act_grad, w2_grad, gate_grad, w1_grad. Share s of a product belongs to core s.
inline L2Kernel backward_kernel(const BackwardCase& what, std::uint32_t segment_k) {
  const std::uint32_t h = what.hidden, i = what.intermediate, r = what.rows, e = what.experts;
  enum : std::uint32_t {
    kGradY,
    kW2,
    kActivation,
    kGradActivation,
    kGradGate,
    kX,
    kW1,
    kGradX,
    kGradW2,
    kGradW1
  };
  KernelBuilder builder({tensor_of(r, h, e), tensor_of(i, h, e), tensor_of(r, i, e), tensor_of(r, i, e),
                         tensor_of(r, 2 * i, e), tensor_of(r, h, e), tensor_of(h, 2 * i, e),
                         tensor_of(r, h, e), tensor_of(i, h, e), tensor_of(h, 2 * i, e)},
                        4, start_offsets(what.skew, kCubeCores, h));
  // Operands of expert 0. first_row is the distance to the next expert's operand.
  const std::array<Product, 4> products{{{r, i, h, {kGradY, r}, {kW2, i, true}, {kGradActivation, r}},
                                         {i, h, r, {kActivation, r, true}, {kGradY, r}, {kGradW2, i}},
                                         {r, h, 2 * i, {kGradGate, r}, {kW1, h, true}, {kGradX, r}},
                                         {h, 2 * i, r, {kX, r, true}, {kGradGate, r}, {kGradW1, h}}}};
  const auto run = [&](std::uint32_t op, std::uint32_t expert) {
    Product product = products[op];
    for (Operand* operand : {&product.a, &product.b, &product.c}) operand->first_row *= expert;
    product.order = what.order;
    product.op = op;
    builder.product(product, segment_k);
  };
  for (std::uint32_t pair = 0; pair < 4; pair += 2) {
    for (std::uint32_t x = 0; x < 2 * e; ++x) {
      what.interleaved ? run(pair + x % 2, x / 2) : run(pair + x / e, x % e);
    }
  }
  return builder.take();
}

}  // namespace a3sim
