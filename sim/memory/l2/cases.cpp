#include "sim/memory/l2/cases.h"

#include <algorithm>
#include <array>

#include "sim/core/rng.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kElement = 2;
constexpr std::uint32_t kLoadK = MatmulWalk{}.load_k;

std::vector<std::uint64_t> offsets(Skew skew, std::uint32_t cores, std::uint32_t k) {
  std::vector<std::uint64_t> result(cores);
  Rng rng(1);
  for (std::uint32_t core = 0; core < cores; ++core) {
    if (skew == Skew::kStep) result[core] = core;
    if (skew == Skew::kRandom) result[core] = rng.below((k + kLoadK - 1) / kLoadK);
  }
  return result;
}

L2Tensor tensor(std::uint32_t rows, std::uint32_t cols, std::uint32_t parts = 1) {
  L2Tensor result{rows * parts, cols * kElement, {}};
  for (std::uint32_t part = 0; part < parts; ++part) result.parts.push_back(part * rows);
  return result;
}

L2Access all_columns(const std::vector<L2Tensor>& tensors, std::uint32_t tensor, Rows rows, std::uint32_t op,
                     bool write) {
  return {.tensor = TensorId{tensor},
          .rows = rows,
          .byte_begin = 0,
          .byte_end = tensors[tensor].row_bytes,
          .op = OpId{op},
          .write = write};
}

// Tensors: 0 SwiGLU's input, 1 its result, 2 Add's other operand, 3 its result. Time counts bytes.
void vector_tile(StreamBuilder& builder, const L2Case& c, std::uint32_t worker, std::uint32_t op, Rows rows) {
  constexpr std::array<std::array<std::uint32_t, 3>, 2> kReads{{{1, 0}, {2, 1, 2}}};  // count, tensors
  const auto touch = [&](std::uint32_t tensor, bool write) {
    builder.access(worker, all_columns(c.tensors, tensor, rows, op, write),
                   std::uint64_t{rows.size()} * c.tensors[tensor].row_bytes);
  };
  for (std::uint32_t i = 1; i <= kReads[op][0]; ++i) touch(kReads[op][i], false);
  touch(op == 0 ? 1 : 3, true);
}

}  // namespace

L2Case matmul_case(const MatmulCase& what, std::uint32_t segment_k) {
  L2Case result{{tensor(what.m, what.k), tensor(what.k, what.n), tensor(what.m, what.n)}, 1, {}};
  StreamBuilder builder(offsets(what.skew, what.cores, what.k));
  builder.matmul({.m = what.m,
                  .n = what.n,
                  .k = what.k,
                  .a = {TensorId{0}},
                  .b = {TensorId{1}},
                  .c = {TensorId{2}},
                  .order = what.order},
                 segment_k);
  result.accesses = builder.take();
  return result;
}

L2Case swiglu_add_case(const SwiGluAddCase& what) {
  L2Case result{{tensor(what.rows, what.in_cols), tensor(what.rows, what.in_cols / 2),
                 tensor(what.rows, what.in_cols / 2), tensor(what.rows, what.in_cols / 2)},
                2,
                {}};
  StreamBuilder builder(std::vector<std::uint64_t>(what.workers));
  if (what.interleaved) {
    for (std::uint32_t begin = 0, i = 0; begin < what.rows; begin += what.tile_rows, ++i) {
      const Rows rows{begin, std::min(what.rows, begin + what.tile_rows)};
      for (std::uint32_t op = 0; op < 2; ++op) vector_tile(builder, result, i % what.workers, op, rows);
    }
  } else {
    for (std::uint32_t op = 0; op < 2; ++op, builder.barrier()) {
      for (std::uint32_t worker = 0; worker < what.workers; ++worker) {
        const auto row = [&](std::uint64_t w) {
          return static_cast<std::uint32_t>(w * what.rows / what.workers);
        };
        const std::uint32_t end = row(worker + 1);
        for (std::uint32_t begin = row(worker); begin < end; begin += what.tile_rows) {
          vector_tile(builder, result, worker, op, {begin, std::min(end, begin + what.tile_rows)});
        }
      }
    }
  }
  result.accesses = builder.take();
  return result;
}

L2Case backward_case(const BackwardCase& what, std::uint32_t segment_k) {
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
  L2Case result{{tensor(r, h, e), tensor(i, h, e), tensor(r, i, e), tensor(r, i, e), tensor(r, 2 * i, e),
                 tensor(r, h, e), tensor(h, 2 * i, e), tensor(r, h, e), tensor(i, h, e), tensor(h, 2 * i, e)},
                4,
                {}};
  struct Product {
    std::uint32_t m, n, k, a, b, c, a_rows, b_rows, c_rows;  // rows: of the tensor, for each expert
    bool a_transposed, b_transposed;
  };
  const std::array<Product, 4> products{{{r, i, h, kGradY, kW2, kGradActivation, r, i, r, false, true},
                                         {i, h, r, kActivation, kGradY, kGradW2, r, r, i, true, false},
                                         {r, h, 2 * i, kGradGate, kW1, kGradX, r, h, r, false, true},
                                         {h, 2 * i, r, kX, kGradGate, kGradW1, r, r, h, true, false}}};
  StreamBuilder builder(offsets(what.skew, what.cores, h));
  const auto run = [&](std::uint32_t op, std::uint32_t expert) {
    const Product& p = products[op];
    builder.start_at(0);
    builder.matmul({.m = p.m,
                    .n = p.n,
                    .k = p.k,
                    .a = {TensorId{p.a}, expert * p.a_rows, p.a_transposed},
                    .b = {TensorId{p.b}, expert * p.b_rows, p.b_transposed},
                    .c = {TensorId{p.c}, expert * p.c_rows, false},
                    .order = what.order,
                    .op = OpId{op}},
                   segment_k);
  };
  for (std::uint32_t pair = 0; pair < 4; pair += 2) {
    for (std::uint32_t x = 0; x < 2 * e; ++x) {
      what.interleaved ? run(pair + x % 2, x / 2) : run(pair + x / e, x % e);
    }
  }
  result.accesses = builder.take();
  return result;
}

}  // namespace a3sim
