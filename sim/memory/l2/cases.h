#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/memory/l2/streams.h"

// Whole kernels as access streams: what the modes of the L2 are compared on.
namespace a3sim {

struct L2Case {
  std::vector<L2Tensor> tensors;
  std::uint32_t ops = 0;
  std::vector<TimedAccess> accesses;
};

// How the cores of a matrix kernel are set against each other.
enum class Skew : std::uint8_t {
  kNone,
  kStep,   // each a load later than the one before
  kRandom  // each later by up to a block, from a seed
};

struct MatmulCase {
  std::uint32_t m = 0, n = 0, k = 0;
  BlockOrder order = BlockOrder::kRowMajor;
  Skew skew = Skew::kNone;
  std::uint32_t cores = 25;
};
// One product of 2-byte elements. segment_k: see StreamBuilder::matmul.
L2Case matmul_case(const MatmulCase& what, std::uint32_t segment_k);

struct SwiGluAddCase {
  std::uint32_t rows = 0;
  std::uint32_t tile_rows = 64;
  bool interleaved = false;  // SwiGLU i, then Add i, by worker i mod workers; else one kernel after the other
  std::uint32_t in_cols = 4096;
  std::uint32_t workers = 50;
};
// Operator 0, SwiGLU: rows x in_cols -> half as many columns. Operator 1, Add: its result and another tensor.
// 2-byte elements. As kernels, each worker has an even slab of rows.
L2Case swiglu_add_case(const SwiGluAddCase& what);

struct BackwardCase {
  std::uint32_t experts = 8, rows = 4096, hidden = 7168, intermediate = 2048;  // rows of each expert
  bool interleaved = false;  // the two consumers of one gradient expert by expert; else one after the other
  BlockOrder order = BlockOrder::kDiagonal;
  Skew skew = Skew::kNone;
  std::uint32_t cores = 25;
};
// The matrix products of a MoE layer's backward pass on one rank, operators in this order: act_grad, w2_grad,
// gate_grad, w1_grad. Share s of a product is core s's. 2-byte elements.
L2Case backward_case(const BackwardCase& what, std::uint32_t segment_k);

}  // namespace a3sim
