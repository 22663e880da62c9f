#include <catch2/catch.hpp>

#include "models/taskflow/pieces.h"
#include "sim/core/error.h"
#include "sim/core/rng.h"

using namespace a3sim;

namespace {

constexpr MoeShape kLayoutShape{
    .tokens = 50, .hidden = 4, .intermediate = 4, .top_k = 2, .experts_per_rank = 3, .ep = 2};

RoutingCounts drawn(std::uint64_t seed, std::uint32_t below) {
  Rng rng(seed);
  RoutingCounts counts(kLayoutShape.ep, kLayoutShape.experts());
  for (std::uint32_t src = 0; src < kLayoutShape.ep; ++src) {
    for (std::uint32_t expert = 0; expert < kLayoutShape.experts(); ++expert)
      counts.at(src, expert) = rng.below(below);
  }
  return counts;
}

RoutingCounts sum(const RoutingCounts& a, const RoutingCounts& b) {
  RoutingCounts both = a;
  for (std::uint32_t src = 0; src < a.ranks(); ++src) {
    for (std::uint32_t expert = 0; expert < a.experts(); ++expert) both.at(src, expert) += b.at(src, expert);
  }
  return both;
}

// What each capacity row of a rank is, in order: real or padding.
std::vector<bool> real_marks(Layout layout, std::uint32_t rank, const RoutingCounts& capacity,
                             const RoutingCounts& counts) {
  std::vector<bool> marks;
  const auto append = [&](std::uint32_t src, std::uint32_t expert) {
    for (std::uint32_t row = 0; row < capacity.at(src, expert); ++row)
      marks.push_back(row < counts.at(src, expert));
  };
  if (layout == Layout::kSent) {
    for (std::uint32_t expert = 0; expert < kLayoutShape.experts(); ++expert) append(rank, expert);
  } else {
    for (std::uint32_t local = 0; local < kLayoutShape.experts_per_rank; ++local) {
      for (std::uint32_t src = 0; src < kLayoutShape.ep; ++src)
        append(src, rank * kLayoutShape.experts_per_rank + local);
    }
  }
  return marks;
}

}  // namespace

TEST_CASE("Packing a row counts the real rows before it") {
  const auto seed = GENERATE(range(1, 20));
  const RoutingCounts counts = drawn(static_cast<std::uint64_t>(seed), 4);
  const RoutingCounts capacity = sum(counts, drawn(static_cast<std::uint64_t>(seed) + 100, 3));
  const RowLayout layout(kLayoutShape, capacity, counts);
  for (const Layout kind : {Layout::kSent, Layout::kReceived}) {
    for (std::uint32_t rank = 0; rank < kLayoutShape.ep; ++rank) {
      const std::vector<bool> marks = real_marks(kind, rank, capacity, counts);
      const auto rows = static_cast<std::uint32_t>(marks.size());
      REQUIRE(rows == (kind == Layout::kSent ? layout.sent_rows(rank) : layout.received_rows(rank)));
      for (std::uint32_t row = 0; row <= rows; ++row) {
        const auto before = std::count(marks.begin(), marks.begin() + row, true);
        CHECK(layout.pack(kind, rank, {0, row}) == Rows{0, static_cast<std::uint32_t>(before)});
      }
      CHECK(layout.real_rows(kind, rank, 0) ==
            static_cast<std::uint32_t>(std::count(marks.begin(), marks.end(), true)));
    }
  }
}

TEST_CASE("A layout of its own counts packs nothing, nor does a layout without experts") {
  const RoutingCounts capacity = drawn(3, 9);
  const RowLayout same(kLayoutShape, capacity), other(kLayoutShape, sum(capacity, drawn(4, 9)), capacity);
  const Rows rows{2, 7};
  CHECK(same.pack(Layout::kReceived, 0, rows) == rows);
  for (const Layout plain : {Layout::kPlain, Layout::kTokens, Layout::kWeights}) {
    CHECK(other.pack(plain, 0, rows) == rows);
    CHECK(other.real_rows(plain, 0, 123) == 123);
  }
}

TEST_CASE("Partitions of an expert are equal but for the last ones, and together the expert") {
  RoutingCounts capacity(kLayoutShape.ep, kLayoutShape.experts());
  capacity.at(0, 4) = 3;
  capacity.at(1, 4) = 4;
  const RowLayout layout(kLayoutShape, capacity);
  const Rows expert = layout.received_expert(1, 1);
  REQUIRE(expert.size() == 3 + 4);
  CHECK(layout.partition(1, 1, 0, 3) == Rows{expert.begin, expert.begin + 3});
  CHECK(layout.partition(1, 1, 1, 3) == Rows{expert.begin + 3, expert.begin + 6});
  CHECK(layout.partition(1, 1, 2, 3) == Rows{expert.begin + 6, expert.end});
  // More partitions than rows: the last are empty.
  CHECK(layout.partition(1, 1, 7, 9) == Rows{expert.end, expert.end});
  CHECK(layout.partition(1, 0, 1, 2).empty());
}

TEST_CASE("Pieces of a slot are cut every chunk and at partition boundaries, the same whoever asks") {
  RoutingCounts capacity(kLayoutShape.ep, kLayoutShape.experts());
  capacity.at(0, 3) = 4;
  capacity.at(1, 3) = 9;
  const RowLayout layout(kLayoutShape, capacity);
  constexpr std::uint32_t kSrc = 1, kDst = 1, kExpert = 0, kPartitions = 2, kChunk = 4;
  const std::uint32_t received = capacity.at(0, 3), sent = layout.sent_slot(kSrc, 3).begin;
  // 13 rows in partitions of 7 and 6; the slot is rows 4 to 13, its chunks end at 8 and 12.
  struct Cut {
    std::uint32_t partition, begin, end, chunk, tile;
  };
  const std::vector<Cut> expected = {{0, 0, 3, 0, 0}, {1, 3, 4, 1, 0}, {1, 4, 8, 2, 1}, {1, 8, 9, 3, 2}};
  std::vector<Cut> found;
  for (std::uint32_t p = 0; p < kPartitions; ++p) {
    for_each_piece(layout, kSrc, kDst, kExpert, p, kPartitions, kChunk, [&](const Piece& piece) {
      CHECK(piece.sent.begin - sent == piece.received.begin - received);
      CHECK(piece.sent.size() == piece.received.size());
      found.push_back(
          {p, piece.received.begin - received, piece.received.end - received, piece.chunk, piece.tile});
    });
  }
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].partition == expected[i].partition);
    CHECK(found[i].begin == expected[i].begin);
    CHECK(found[i].end == expected[i].end);
    CHECK(found[i].chunk == expected[i].chunk);
    CHECK(found[i].tile == expected[i].tile);
  }
}

TEST_CASE("A routing above its bucket is refused with where it overflows and the bucket that it needs") {
  RoutingCounts capacity(kLayoutShape.ep, kLayoutShape.experts()), counts = capacity;
  capacity.at(0, 1) = 128;
  counts.at(0, 1) = 128;
  CHECK_NOTHROW(RowLayout(kLayoutShape, capacity, counts));
  counts.at(0, 1) = 129;
  counts.at(1, 5) = 7;
  CHECK_THROWS_WITH(
      RowLayout(kLayoutShape, capacity, counts),
      Catch::Contains("source 0, expert 1: 129 rows > capacity 128; source 1, expert 5: 7 rows > "
                      "capacity 0") &&
          Catch::Contains("needs a bucket with capacity 129 or more"));
  for (std::uint32_t expert = 0; expert < kLayoutShape.experts(); ++expert) counts.at(1, expert) = 3;
  CHECK_THROWS_WITH(RowLayout(kLayoutShape, capacity, counts), Catch::Contains("and 3 more"));
}

TEST_CASE("Counts of another shape, and rows beyond 32 bits, are refused") {
  CHECK_THROWS_AS(RowLayout(kLayoutShape, RoutingCounts(kLayoutShape.ep, kLayoutShape.experts() + 1)),
                  InputError);
  CHECK_THROWS_AS(RowLayout(kLayoutShape, RoutingCounts(kLayoutShape.ep + 1, kLayoutShape.experts())),
                  InputError);
  RoutingCounts huge(kLayoutShape.ep, kLayoutShape.experts());
  huge.at(0, 0) = huge.at(1, 0) = 1U << 31;
  CHECK_THROWS_WITH(RowLayout(kLayoutShape, huge), Catch::Contains("rows"));
}
TEST_CASE("Partitions of some sources end where those sources' rows do, and so do pieces") {
  constexpr MoeShape kShape{
      .tokens = 64, .hidden = 8, .intermediate = 8, .top_k = 1, .experts_per_rank = 1, .ep = 3};
  RoutingCounts capacity(kShape.ep, kShape.experts());
  capacity.at(0, 1) = 2;
  capacity.at(1, 1) = 9;
  capacity.at(2, 1) = 4;
  RowLayout layout(kShape, capacity);
  layout.cut_at_sources(1);
  REQUIRE(partitions_of_sources(kShape.ep, 1) == 3);
  CHECK(layout.partition(1, 0, 0, 3) == Rows{0, 2});
  CHECK(layout.partition(1, 0, 1, 3) == Rows{2, 11});
  CHECK(layout.partition(1, 0, 2, 3) == Rows{11, 15});
  CHECK(layout.partition(1, 0, 0, 1) == Rows{0, 15});  // what is not split has all rows
  std::vector<std::uint32_t> rows;
  for (std::uint32_t p = 0; p < 3; ++p)
    for_each_piece(layout, 1, 1, 0, p, 3, 5, [&](const Piece& piece) {
      CHECK(p == 1);
      rows.push_back(piece.received.size());
    });
  CHECK(rows == std::vector<std::uint32_t>{5, 4});
  layout.cut_at_sources(2);
  REQUIRE(partitions_of_sources(kShape.ep, 2) == 2);
  CHECK(layout.partition(1, 0, 0, 2) == Rows{0, 11});
  CHECK(layout.partition(1, 0, 1, 2) == Rows{11, 15});
}
