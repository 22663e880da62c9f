#include "sim/memory/l2/streams.h"

#include <algorithm>

namespace a3sim {
namespace {

// Rows and columns of a matrix, as an access to the tensor in which it lies.
L2Access rectangle(const Operand& matrix, Rows rows, Rows cols, const MatmulWalk& walk, bool write) {
  if (matrix.transposed) std::swap(rows, cols);
  return {.tensor = matrix.tensor,
          .rows = {matrix.first_row + rows.begin, matrix.first_row + rows.end},
          .byte_begin = cols.begin * walk.element_bytes,
          .byte_end = cols.end * walk.element_bytes,
          .op = walk.op,
          .write = write};
}

}  // namespace

void StreamBuilder::matmul(const MatmulWalk& walk, std::uint32_t segment_k) {
  Tiling tiling;
  tiling.base_m = static_cast<std::uint16_t>(walk.base_m);
  tiling.base_n = static_cast<std::uint16_t>(walk.base_n);
  tiling.order = walk.order;
  const BlockGrid grid(walk.m, walk.n, tiling);
  for (std::uint32_t b = 0; b < grid.count(); ++b) {
    block(walk, next_core_, grid.place(b), segment_k);
    next_core_ = (next_core_ + 1) % cores();
  }
}

void StreamBuilder::block(const MatmulWalk& walk, std::uint32_t core, BlockGrid::Place place,
                          std::uint32_t segment_k) {
  const Rows m{place.row * walk.base_m, std::min(walk.m, (place.row + 1) * walk.base_m)};
  const Rows n{place.col * walk.base_n, std::min(walk.n, (place.col + 1) * walk.base_n)};
  for (std::uint32_t begin = 0; begin < walk.k; begin += segment_k) {
    const Rows k{begin, std::min(walk.k, begin + segment_k)};
    access(core, rectangle(walk.a, m, k, walk, false), 0);
    access(core, rectangle(walk.b, k, n, walk, false), (k.size() + walk.load_k - 1) / walk.load_k);
  }
  access(core, rectangle(walk.c, m, n, walk, true), 0);
}

void StreamBuilder::access(std::uint32_t core, const L2Access& access, std::uint64_t duration) {
  accesses_.push_back({clock_[core], core, access});
  clock_[core] += duration;
}

void StreamBuilder::barrier() {
  const std::uint64_t last = *std::max_element(clock_.begin(), clock_.end());
  std::fill(clock_.begin(), clock_.end(), last);
}

std::vector<TimedAccess> StreamBuilder::take() {
  std::stable_sort(accesses_.begin(), accesses_.end(), [](const TimedAccess& a, const TimedAccess& b) {
    return a.time != b.time ? a.time < b.time : a.core < b.core;
  });
  return std::move(accesses_);
}

L2Traffic replay(L2& l2, const std::vector<TimedAccess>& accesses) {
  L2Traffic traffic;
  for (const TimedAccess& timed : accesses) traffic += l2.access(timed.access);
  return traffic;
}

}  // namespace a3sim
