#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/core/rng.h"
#include "sim/memory/l2/policy.h"

using namespace a3sim;

namespace {

constexpr std::uint32_t kRows = 128;                      // of a piece
constexpr std::uint64_t kPiece = kRows * kL2Line;         // bytes
constexpr std::uint64_t kRequests = kPiece / kL2Request;  // of a piece

L2Spec spec_for(std::uint64_t pieces, const std::string& policy = "lru") {
  return {.size = {static_cast<std::int64_t>(pieces * kPiece)}, .ways = 8, .policy = policy};
}

// Columns are counted in pieces.
L2Access at(std::uint32_t tensor, Rows rows, std::uint32_t col_begin, std::uint32_t col_end,
            bool write = false, std::uint32_t op = 0, L2Hint hint = L2Hint::kNormal) {
  return {TensorId{tensor}, rows, col_begin * kL2Line, col_end * kL2Line, OpId{op}, write, hint};
}

L2Access piece(std::uint32_t number, bool write = false, std::uint32_t op = 0,
               L2Hint hint = L2Hint::kNormal) {
  return at(0, {number * kRows, (number + 1) * kRows}, 0, 1, write, op, hint);
}

// A tensor of that many pieces, one above the other.
std::vector<L2Tensor> column(std::uint32_t pieces) { return {{pieces * kRows, kL2Line, {}}}; }

}  // namespace

TEST_CASE("l2 pieces: while all fits, any rectangles come to the same as with every line") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const std::vector<L2Tensor> tensors{
        {700, 4 * kL2Line, {}}, {1000, 3 * kL2Line, {0, 130, 130, 500, 777}}, {300, 2 * kL2Line, {0, 1}}};
    const L2Spec spec{.size = 48_MiB};
    const auto exact = make_line_l2(spec, tensors, 3);
    const auto fast = make_piece_l2(spec, tensors, 3);
    for (int i = 0; i < 300; ++i) {
      const std::uint32_t t = rng.below(3);
      const std::uint32_t row = rng.below(tensors[t].rows), byte = rng.below(tensors[t].row_bytes);
      const L2Access access{TensorId{t},
                            {row, row + rng.below(tensors[t].rows - row + 1)},
                            byte,
                            byte + rng.below(tensors[t].row_bytes - byte + 1),
                            OpId{rng.below(3)},
                            rng.below(2) == 0,
                            rng.below(8) == 0 ? L2Hint::kBypass : L2Hint::kNormal};
      REQUIRE(fast->access(access) == exact->access(access));
    }
    CHECK(fast->total() == exact->total());
    for (std::uint32_t op = 0; op < 3; ++op) CHECK(fast->total(OpId{op}) == exact->total(OpId{op}));
    CHECK(fast->flush() == exact->flush());
    CHECK(fast->used() == 0);
  }
}

TEST_CASE("l2 pieces: every policy keeps what fits, writes back once, and holds no more than its size") {
  for (const auto& [name, item] : Registry<L2Policy>::all()) {
    INFO(name);
    constexpr std::uint32_t kFits = 200, kAll = 1000;
    const auto l2 = make_piece_l2(spec_for(kFits, name), column(kAll), 1);
    for (std::uint32_t p = 0; p < kFits; ++p) CHECK(l2->access(piece(p)).read.miss == kRequests);
    for (std::uint32_t p = 0; p < kFits; ++p) CHECK(l2->access(piece(p)).read.hit == kRequests);
    for (std::uint32_t p = 0; p < kAll; ++p) {
      l2->access(piece(p, true));
      REQUIRE(l2->used() == kFits * kPiece);
    }
    const std::uint64_t written = l2->total().hbm_write;
    CHECK(written + l2->flush() >= kAll * kPiece);
    CHECK(l2->total().write.hit + l2->total().write.miss == kAll * kRequests);
    CHECK(l2->used() == 0);
    CHECK(l2->access(piece(0)).read.miss == kRequests);
  }
}

TEST_CASE("l2 pieces: every policy survives any rectangles, the same way twice") {
  for (const auto& [name, item] : Registry<L2Policy>::all()) {
    INFO(name);
    std::array<L2Traffic, 2> runs;
    for (L2Traffic& run : runs) {
      Rng rng(9);
      const std::vector<L2Tensor> tensors{{999, 5 * kL2Line + 128, {0, 333}}};
      const auto l2 = make_piece_l2(spec_for(7, name), tensors, 1);
      for (int i = 0; i < 2000; ++i) {
        const std::uint32_t row = rng.below(999), col = rng.below(5);
        l2->access(at(0, {row, std::min(999U, row + rng.below(200))}, col, col + 1, rng.below(2) == 0, 0,
                      static_cast<L2Hint>(rng.below(3))));
        REQUIRE(l2->used() <= 7 * kPiece);
      }
      l2->flush();
      REQUIRE(l2->used() == 0);
      run = l2->total();
    }
    CHECK(runs[0] == runs[1]);
  }
}

TEST_CASE("l2 pieces: LRU evicts the piece that was used longest ago") {
  const auto l2 = make_piece_l2(spec_for(3), column(5), 1);
  for (std::uint32_t p : {0U, 1U, 2U, 0U}) l2->access(piece(p));
  l2->access(piece(3));
  CHECK(l2->access(piece(0)).read.hit == kRequests);
  CHECK(l2->access(piece(2)).read.hit == kRequests);
  CHECK(l2->access(piece(1)).read.miss == kRequests);
}

TEST_CASE("l2 pieces: under LRU a piece of which more is read becomes the latest") {
  const auto l2 = make_piece_l2(spec_for(2), column(5), 1);
  l2->access(at(0, {0, kRows / 2}, 0, 1));
  l2->access(piece(1));
  l2->access(at(0, {kRows / 2, kRows}, 0, 1));
  l2->access(piece(2));
  CHECK(l2->access(piece(0)).read.hit == kRequests);
}

TEST_CASE("l2 pieces: a row that is written is present and dirty, its neighbours are not") {
  const auto l2 = make_piece_l2(spec_for(2), column(4), 1);
  CHECK(l2->access(at(0, {10, 11}, 0, 1, true)) == L2Traffic{{}, {0, 4, 0}, 0, 0});
  const L2Traffic read = l2->access(at(0, {9, 12}, 0, 1));
  CHECK(read == L2Traffic{{4, 8, 0}, {}, 2 * kL2Line, 0});
  CHECK(l2->used() == 3 * kL2Line);
  CHECK(l2->flush() == kL2Line);
}

TEST_CASE("l2 pieces: taller pieces are read in sectors, and neighbours that meet in one both miss") {
  std::vector<L2Tensor> tensors = column(4);
  tensors[0].piece_rows = 256;
  const auto l2 = make_piece_l2(spec_for(4), tensors, 1);
  CHECK(l2->access(at(0, {0, 41}, 0, 1)) == L2Traffic{{0, 41 * 4, 0}, {}, 42 * kL2Line, 0});
  CHECK(l2->access(at(0, {41, 82}, 0, 1)) == L2Traffic{{1 * 4, 40 * 4, 0}, {}, 40 * kL2Line, 0});
  CHECK(l2->touched() == 2);
}

TEST_CASE("l2 pieces: a last sector with fewer rows counts those that it has") {
  constexpr std::uint32_t kOdd = 256 + 3;
  const std::vector<L2Tensor> tensors{{kOdd, kL2Line, {}, 256}};
  const auto l2 = make_piece_l2(spec_for(4), tensors, 1);
  CHECK(l2->access(at(0, {0, kOdd}, 0, 1, true)).write.miss == kOdd * 4);
  CHECK(l2->used() == kOdd * kL2Line);
  CHECK(l2->flush() == kOdd * kL2Line);
  CHECK(l2->access(at(0, {0, kOdd}, 0, 1)).hbm_read == kOdd * kL2Line);
}

TEST_CASE("l2 pieces: reads are counted for the operator that brought or wrote what they find") {
  const auto l2 = make_piece_l2(spec_for(4), column(4), 3);
  l2->access(piece(0, true, 0));
  l2->access(piece(0, false, 1));
  l2->access(piece(1, false, 1));
  l2->access(piece(1, false, 2));
  l2->access(piece(1, false, 2));
  CHECK(l2->reused(OpId{0}, OpId{1}) == kRequests);
  CHECK(l2->reused(OpId{1}, OpId{2}) == 2 * kRequests);
  CHECK(l2->reused(OpId{2}, OpId{2}) == 0);
  CHECK(l2->total(OpId{2}).read == L2Traffic::Requests{2 * kRequests, 0, 0});
  l2->forget_counts();
  CHECK(l2->reused(OpId{1}, OpId{2}) == 0);
  CHECK(l2->total() == L2Traffic{});
  CHECK(l2->access(piece(1, false, 2)).read.hit == kRequests);
}

TEST_CASE("l2 pieces: hints keep a piece, or keep it out") {
  const auto l2 = make_piece_l2(spec_for(3), column(20), 1);
  l2->access(piece(0, false, 0, L2Hint::kPersist));
  for (std::uint32_t p = 1; p < 10; ++p) l2->access(piece(p));
  CHECK(l2->access(piece(0)).read.hit == kRequests);
  CHECK(l2->access(piece(15, false, 0, L2Hint::kBypass)) == L2Traffic{{0, 0, kRequests}, {}, kPiece, 0});
  CHECK(l2->access(piece(15, true, 0, L2Hint::kBypass)) == L2Traffic{{}, {0, 0, kRequests}, 0, kPiece});
  CHECK(l2->access(piece(15)).read.miss == kRequests);
  // When all are persistent, the oldest of them goes.
  for (std::uint32_t p : {1U, 2U, 3U}) l2->access(piece(p, true, 0, L2Hint::kPersist));
  CHECK(l2->access(piece(0)).read.miss == kRequests);
  CHECK(l2->flush() == 2 * kPiece);
}

TEST_CASE("l2 pieces: the public sweeps give the published hit rates under LRU") {
  constexpr std::uint32_t kSweep = 301989888 / kPiece, kSlices = 4, kPasses = 4;
  L2Spec spec{.size = 192_MiB};
  for (std::uint32_t slices : {1U, kSlices}) {
    const auto l2 = make_piece_l2(spec, column(kSweep), 1);
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
      for (std::uint32_t pass = 0; pass < kPasses; ++pass) {
        for (std::uint32_t p = 0; p < kSweep / slices; ++p) l2->access(piece(slice * (kSweep / slices) + p));
      }
    }
    CHECK(l2->total().read.hit == (slices == 1 ? 0 : std::uint64_t{kPasses - 1} * kSweep * kRequests));
    CHECK(l2->total().read.hit + l2->total().read.miss == std::uint64_t{kPasses} * kSweep * kRequests);
  }
}

TEST_CASE("l2 pieces: what cannot be built or is out of range is refused") {
  std::vector<L2Tensor> tensors = column(2);
  CHECK_THROWS_AS(make_piece_l2({.size = {8 * kL2Line}, .ways = 8}, tensors, 1), InputError);
  CHECK_THROWS_WITH(make_piece_l2({.size = {1 << 20}, .ways = 65}, tensors, 1),
                    Catch::Contains("expected 1 to 64"));
  const auto l2 = make_piece_l2(spec_for(2), tensors, 1);
  CHECK_THROWS_AS(l2->access(at(0, {0, 2 * kRows + 1}, 0, 1)), std::out_of_range);
  CHECK_THROWS_AS(l2->access(at(0, {0, 1}, 0, 2)), std::out_of_range);
  CHECK_THROWS_AS(l2->access(at(1, {0, 1}, 0, 1)), std::out_of_range);
  CHECK(l2->access(at(0, {7, 7}, 0, 1)) == L2Traffic{});
  tensors[0].piece_rows = 96;
  CHECK_THROWS_AS(make_piece_l2(spec_for(2), tensors, 1), InputError);
}

TEST_CASE("l2 pieces: what they take of memory grows with rows, bytes of a row and parts, told beforehand") {
  const double one = piece_l2_memory(std::vector<L2Tensor>{{kRows, kL2Line, {}}});
  CHECK(one > 0);
  const auto memory = [](std::uint32_t rows, std::uint32_t columns, std::vector<std::uint32_t> parts = {}) {
    return piece_l2_memory(std::vector<L2Tensor>{{rows, columns * kL2Line, std::move(parts)}});
  };
  // Bands share their column's cost, columns their band's.
  CHECK(memory(100 * kRows, 1) < 100 * one);
  CHECK(memory(1, 100) < 100 * one);
  CHECK(memory(100 * kRows, 100) > 10 * (memory(100 * kRows, 1) + memory(1, 100)));
  CHECK(memory(100, 1, {0, 50}) == 2 * one);
  CHECK(memory(1U << 31, 1U << 22) > 1e15);
}

TEST_CASE("l2 pieces: more pieces than numbers are refused") {
  constexpr std::uint32_t kMostColumns = 1U << 22;
  const std::vector<L2Tensor> tensors{{1024 * kRows, kMostColumns * kL2Line, {}}};
  CHECK_THROWS_WITH(make_piece_l2(spec_for(4), tensors, 1),
                    "the tensors of a rank have 4294967296 pieces of L2; expected below 4294967295");
}
