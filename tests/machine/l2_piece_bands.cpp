#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/rng.h"
#include "sim/memory/l2/piece_l2_of.h"
#include "tests/machine/piece_links.h"

using namespace a3sim;

namespace {

// The least recently used piece goes first: a list of single pieces, which knows neither bands nor columns.
class OneByOneLru {
 public:
  OneByOneLru(const L2Spec&, std::uint32_t pieces) : queue_(pieces, 1) {}

  void begin(const L2Access&) {}
  void insert(std::uint32_t piece) { queue_.push_back(0, piece); }
  void hit(const PieceRun& run) {
    run.each([&](std::uint32_t piece) { extend(piece); });
  }
  void extend(std::uint32_t piece) {
    queue_.remove(piece);
    queue_.push_back(0, piece);
  }
  void erase(std::uint32_t piece) { queue_.remove(piece); }
  std::uint32_t victim(std::uint32_t) { return queue_.front(0); }

 private:
  PieceLinks queue_;
};
static_assert(!TakesBands<OneByOneLru>);

constexpr std::uint32_t kBandOps = 3;

struct BandStream {
  std::vector<L2Tensor> tensors;
  std::uint64_t size;
  bool hints = false;
};

// Half of all accesses are as wide as the tensor or as high as one of its parts, as those of operators are; a
// half go where one of the last eight went.
L2Access draw(Rng& rng, const BandStream& stream) {
  L2Access access;
  access.tensor = TensorId{rng.below(static_cast<std::uint32_t>(stream.tensors.size()))};
  const L2Tensor& tensor = stream.tensors[index(access.tensor)];
  const std::uint32_t row = rng.below(tensor.rows), byte = rng.below(tensor.row_bytes);
  const std::uint32_t high = rng.below(2) ? tensor.piece_rows : 3 * tensor.piece_rows;
  access.rows = {row, std::min(tensor.rows, row + 1 + rng.below(high))};
  access.byte_begin = byte;
  access.byte_end = std::min(tensor.row_bytes, byte + 1 + rng.below(2 * kL2Line));
  if (rng.below(2)) {  // whole bands
    const std::uint32_t band = row / tensor.piece_rows * tensor.piece_rows;
    access.rows = {band, std::min(tensor.rows, band + tensor.piece_rows * (1 + rng.below(2)))};
  }
  const std::uint32_t shape = rng.below(4);
  if (shape < 2) {  // in their full width
    access.byte_begin = 0;
    access.byte_end = tensor.row_bytes;
  } else if (shape == 2) {  // a column of a part
    std::vector<std::uint32_t> begins = tensor.parts.empty() ? std::vector<std::uint32_t>{0} : tensor.parts;
    begins.push_back(tensor.rows);
    const std::uint32_t part = rng.below(static_cast<std::uint32_t>(begins.size()) - 1);
    access.rows = {begins[part], begins[part + 1]};
    access.byte_begin = byte / kL2Line * kL2Line;
    access.byte_end = std::min(tensor.row_bytes, access.byte_begin + kL2Line);
  }
  return access;
}

void compare_one_by_one(const BandStream& stream, std::uint32_t accesses, std::uint32_t seed) {
  INFO("seed " << seed << ", " << stream.size << " bytes" << (stream.hints ? ", hints" : ""));
  const L2Spec spec{.size = {static_cast<std::int64_t>(stream.size)}, .ways = 8};
  const auto l2 = make_piece_l2(spec, stream.tensors, kBandOps);
  PieceL2Of<OneByOneLru> expected(spec, stream.tensors, kBandOps);
  Rng rng(seed);
  std::vector<L2Access> last(8, draw(rng, stream));
  for (std::uint32_t i = 0; i < accesses; ++i) {
    L2Access& access = last[rng.below(8)];
    if (rng.below(2)) access = draw(rng, stream);
    access.op = OpId{rng.below(kBandOps)};
    access.write = rng.below(4) == 0;
    access.hint = stream.hints && rng.below(8) == 0 ? static_cast<L2Hint>(rng.below(3)) : L2Hint::kNormal;
    INFO("access " << i);
    REQUIRE(l2->access(access) == expected.access(access));
    REQUIRE(l2->used() == expected.used());
    REQUIRE(l2->touched() == expected.touched());
    if (rng.below(2000) == 0) REQUIRE(l2->flush() == expected.flush());
  }
  for (std::uint32_t consumer = 0; consumer < kBandOps; ++consumer) {
    for (std::uint32_t producer = 0; producer < kBandOps; ++producer) {
      CHECK(l2->reused(OpId{producer}, OpId{consumer}) == expected.reused(OpId{producer}, OpId{consumer}));
    }
  }
  CHECK(l2->flush() == expected.flush());
}

// Matrices, narrow ones too, with parts that end within a band, tall pieces whose
// rows are told apart in steps, and rows of which the last piece is narrow.
const std::vector<L2Tensor> kTensors{{64, 5 * kL2Line, {}, 8},
                                     {75, 4 * kL2Line - 100, {0, 20, 21, 50}, 8},
                                     {40, kL2Line, {0, 16}, 8},
                                     {1100, 2 * kL2Line + 128, {0, 513}, 256}};

}  // namespace

TEST_CASE("l2 bands: LRU over bands and columns answers as over single pieces, on any accesses") {
  constexpr std::uint64_t kLeast = 256 * kL2Line;  // a piece of the tallest
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    for (const bool hints : {false, true}) {
      for (const std::uint64_t size : {kLeast, 2 * kLeast, 5 * kLeast, 9 * kLeast, 100 * kLeast}) {
        compare_one_by_one({kTensors, size, hints}, 3000, seed);
      }
    }
  }
}

TEST_CASE("l2 bands: LRU over bands answers as over single pieces where the L2 is smaller than a band") {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    for (const std::uint64_t pieces : {1, 2, 3, 4, 7, 11, 16, 30, 45}) {
      compare_one_by_one({{kTensors.begin(), kTensors.begin() + 3}, pieces * 8 * kL2Line}, 3000, seed);
    }
  }
}

TEST_CASE(
    "l2 bands: a column that was there as a whole is missed once one of its bands has been evicted as one") {
  constexpr std::uint32_t kRows = 8;
  const L2Tensor band{kRows, 2 * kL2Line, {}, kRows};
  const std::vector<L2Tensor> tensors{{2 * kRows, 2 * kL2Line, {}, kRows}, band, band, band};
  const auto l2 = make_piece_l2({.size = {6 * kRows * kL2Line}, .ways = 8}, tensors, 1);
  const auto read = [&](std::uint32_t tensor, Rows rows, std::uint32_t lines) {
    return l2->access({.tensor = TensorId{tensor}, .rows = rows, .byte_end = lines * kL2Line}).hbm_read;
  };
  constexpr std::uint64_t kBand = 2 * kRows * kL2Line;
  read(0, {0, 2 * kRows}, 2);
  CHECK(read(0, {0, 2 * kRows}, 1) == 0);  // the column is looked at, and known from now on
  read(1, {0, kRows}, 2);
  const auto read_bands = [&] { return read(0, {0, kRows}, 2) + read(0, {kRows, 2 * kRows}, 2); };
  CHECK(read_bands() == 0);
  CHECK(read(2, {0, kRows}, 2) ==
        kBand);  // takes the room of tensor 1, and LRU's log begins behind the column's use
  // Until that log is written anew, so that it begins with a band.
  for (int i = 0; i < 600; ++i) CHECK(read_bands() + read(2, {0, kRows}, 2) == 0);
  CHECK(read(3, {0, kRows}, 2) == kBand);  // takes the room of the first band, as one
  CHECK(read(0, {kRows, 2 * kRows}, 2) == 0);
  CHECK(read(0, {0, 2 * kRows}, 1) == kBand / 2);
}
