#include "scheduler/compile/footprint.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace a3sim {
namespace {

// The elements of a region: those of the blocks of its rows that are its share's.
std::set<std::pair<std::uint32_t, std::uint32_t>> elements(const Region& region, const Tiling* tiling,
                                                           std::uint32_t cols) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (std::uint32_t row = region.row_begin; row < region.row_end; ++row) {
    for (std::uint32_t col = 0; col < cols; ++col) {
      const std::uint32_t across = tiling ? (cols + tiling->base_n - 1) / tiling->base_n : 1;
      const std::uint32_t block =
          tiling ? (row - region.row_begin) / tiling->base_m * across + col / tiling->base_n : 0;
      if (!tiling || block % region.shares == region.share) found.emplace(row, col);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("two tasks share bytes where blocks of theirs do, wherever their rows begin") {
  constexpr std::uint32_t kRows = 12, kCols = 5;
  const TensorInfo tensor{"t", Layout::kPlain, DataType::kBf16, kRows, kCols, false};
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto region = [&] {
    const std::uint32_t begin = below(kRows), shares = 2 + below(3);
    return Region{0,
                  0,
                  begin,
                  begin + 1 + below(kRows - begin),
                  static_cast<std::uint16_t>(below(shares)),
                  static_cast<std::uint16_t>(shares),
                  0};
  };
  const auto tiling = [&] {
    Tiling t;
    t.base_m = static_cast<std::uint16_t>(1 + below(3));
    t.base_n = static_cast<std::uint16_t>(1 + below(3));
    t.order = BlockOrder::kRowMajor;
    return t;
  };
  BlockOwners owners;
  int apart = 0;
  for (int i = 0; i < 2000; ++i) {
    const Region a = region(), b = region();
    const Tiling of_a = tiling(), of_b = tiling();
    const Tiling* const cut = i % 4 == 0 ? nullptr : &of_b;
    const auto first = elements(a, &of_a, kCols), second = elements(b, cut, kCols);
    const bool common =
        std::ranges::any_of(first, [&](const auto& element) { return second.contains(element); });
    const Footprint here(a, &of_a, tensor), there(b, cut, tensor);
    INFO(i << ": rows " << a.row_begin << " to " << a.row_end << " and " << b.row_begin << " to "
           << b.row_end);
    CHECK(here.overlaps(there, owners) == common);
    CHECK(there.overlaps(here, owners) == common);
    apart += common ? 0 : 1;
  }
  CHECK(apart > 100);
}

}  // namespace a3sim
