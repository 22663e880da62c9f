#include "sim/memory/l2/streams.h"

#include <algorithm>
#include <numeric>

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

BlockPlace place_of(BlockOrder order, std::uint32_t block, std::uint32_t blocks_m, std::uint32_t blocks_n) {
  constexpr std::uint32_t kWindow = 8, kMostRowMajor = 5;
  if (order == BlockOrder::kRowMajor || blocks_m <= kMostRowMajor) {
    return {block / blocks_n, block % blocks_n};
  }
  const std::uint32_t band = block / (kWindow * blocks_n);
  const std::uint32_t height = std::min(kWindow, blocks_m - band * kWindow);
  const std::uint32_t in_band = block - band * kWindow * blocks_n;
  const std::uint32_t window = in_band / (height * kWindow);
  const std::uint32_t width = std::min(kWindow, blocks_n - window * kWindow);
  const std::uint32_t i = in_band - window * height * kWindow;
  return {band * kWindow + i % height, window * kWindow + (i + i / std::lcm(height, width)) % width};
}

void StreamBuilder::matmul(const MatmulWalk& walk, std::uint32_t segment_k) {
  const std::uint32_t blocks_m = (walk.m + walk.base_m - 1) / walk.base_m;
  const std::uint32_t blocks_n = (walk.n + walk.base_n - 1) / walk.base_n;
  for (std::uint32_t b = 0; b < blocks_m * blocks_n; ++b) {
    block(walk, next_core_, place_of(walk.order, b, blocks_m, blocks_n), segment_k);
    next_core_ = (next_core_ + 1) % cores();
  }
}

void StreamBuilder::block(const MatmulWalk& walk, std::uint32_t core, BlockPlace place,
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
