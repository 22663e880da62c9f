#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/rng.h"
#include "sim/memory/l2/piece_l2.h"

using namespace a3sim;

namespace {

constexpr std::uint32_t kHeight = 8;  // rows of a piece: each is a step of its own
constexpr std::uint32_t kOps = 3;

// The L2 by its rules, row by row: every piece has the
// number of its last use, and the least of all is evicted.
class NaivePieceLru {
 public:
  NaivePieceLru(const L2Tensor& tensor, std::uint64_t size)
      : size_(size),
        row_bytes_(tensor.row_bytes),
        cols_((tensor.row_bytes + kL2Line - 1) / kL2Line),
        pieces_(std::size_t{(tensor.rows + kHeight - 1) / kHeight} * cols_),
        reused(std::size_t{kOps} * kOps) {}

  L2Traffic access(const L2Access& access) {
    L2Traffic traffic;
    if (access.byte_begin == access.byte_end) return traffic;
    for (std::uint32_t row = access.rows.begin; row < access.rows.end; row = (row / kHeight + 1) * kHeight) {
      const Rows rows{row, std::min(access.rows.end, (row / kHeight + 1) * kHeight)};
      for (std::uint32_t col = access.byte_begin / kL2Line; col * kL2Line < access.byte_end; ++col) {
        touch(access, rows, col, traffic);
      }
    }
    return traffic;
  }

  std::uint64_t used() const { return used_; }

 private:
  struct Line {
    bool present = false, dirty = false;
  };
  struct Piece {
    Line lines[kHeight];
    std::uint64_t last_use = 0, bytes = 0;  // bytes: of a row
    std::uint32_t producer = 0;
    bool persists = false;

    bool any() const {
      return std::any_of(std::begin(lines), std::end(lines), [](const Line& line) { return line.present; });
    }
  };

  void touch(const L2Access& access, Rows rows, std::uint32_t col, L2Traffic& traffic) {
    Piece& piece = pieces_[rows.begin / kHeight * cols_ + col];
    piece.bytes = std::min(kL2Line, row_bytes_ - col * kL2Line);
    const std::uint32_t begin = std::max(access.byte_begin, col * kL2Line);
    const std::uint32_t end = std::min(access.byte_end, (col + 1) * kL2Line);
    const std::uint32_t a_row = (end - 1) / kL2Request - begin / kL2Request + 1;
    std::vector<Line*> missing;
    for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
      if (!piece.lines[row % kHeight].present) missing.push_back(&piece.lines[row % kHeight]);
    }
    const std::uint64_t absent = missing.size();
    const std::uint64_t hits = (rows.size() - absent) * a_row;
    L2Traffic::Requests& counted = access.write ? traffic.write : traffic.read;
    counted.hit += hits;
    const bool bypass = access.hint == L2Hint::kBypass;
    (bypass ? counted.bypass : counted.miss) += absent * a_row;
    if (!access.write) reused[index(access.op) * kOps + piece.producer] += hits;
    if (bypass) {
      (access.write ? traffic.hbm_write : traffic.hbm_read) +=
          (access.write ? rows.size() * a_row : absent * a_row) * kL2Request;
      return;
    }
    piece.last_use = ++uses_;
    while (used_ + absent * piece.bytes > size_) traffic.hbm_write += evict();
    used_ += absent * piece.bytes;
    // Where all else persists, what was found of the piece itself may have been evicted for the rest.
    for (Line* line : missing) line->present = true;
    for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
      piece.lines[row % kHeight].dirty |= access.write;
    }
    if (!access.write) traffic.hbm_read += absent * piece.bytes;
    if (access.write || absent > 0) piece.producer = index(access.op);
    if (access.hint == L2Hint::kPersist) piece.persists = true;
  }

  std::uint64_t evict() {
    Piece* least = nullptr;
    for (Piece& piece : pieces_) {
      if (!piece.any()) continue;
      const auto order = [](const Piece& p) { return std::pair(p.persists, p.last_use); };
      if (!least || order(piece) < order(*least)) least = &piece;
    }
    std::uint64_t written = 0;
    for (Line& line : least->lines) {
      used_ -= line.present ? least->bytes : 0;
      written += line.dirty ? least->bytes : 0;
      line = {};
    }
    least->persists = false;
    return written;
  }

  std::uint64_t size_, used_ = 0, uses_ = 0;
  std::uint32_t row_bytes_, cols_;
  std::vector<Piece> pieces_;

 public:
  std::vector<std::uint64_t> reused;  // by consumer, then producer
};

struct LruStream {
  std::uint32_t bands, cols, fits;  // pieces
  std::uint32_t accesses;
  std::uint32_t most_bands, most_cols;  // of an access
  bool hints;
};

// A half of all accesses go where one of the last eight went.
void compare_with_naive(const LruStream& stream, std::uint32_t seed) {
  INFO(stream.bands << " x " << stream.cols << " pieces, " << stream.fits << " fit, seed " << seed
                    << (stream.hints ? ", hints" : ""));
  const L2Tensor tensor{stream.bands * kHeight - 3, stream.cols * kL2Line - 128, {}, kHeight};
  const std::uint64_t size = std::uint64_t{stream.fits} * kHeight * kL2Line;
  const auto l2 =
      make_piece_l2({.size = {static_cast<std::int64_t>(size)}, .ways = 8}, std::vector{tensor}, kOps);
  NaivePieceLru naive(tensor, size);
  Rng rng(seed);
  std::vector<L2Access> last(8, L2Access{.tensor = TensorId{0}, .rows = {0, 1}, .byte_end = 1});
  for (std::uint32_t i = 0; i < stream.accesses; ++i) {
    L2Access& access = last[rng.below(8)];
    if (rng.below(2)) {
      const std::uint32_t row = rng.below(tensor.rows), byte = rng.below(tensor.row_bytes);
      access.rows = {row, std::min(tensor.rows, row + 1 + rng.below(stream.most_bands * kHeight))};
      access.byte_begin = byte;
      access.byte_end = std::min(tensor.row_bytes, byte + 1 + rng.below(stream.most_cols * kL2Line));
    }
    access.op = OpId{rng.below(kOps)};
    access.write = rng.below(4) == 0;
    access.hint = stream.hints && rng.below(4) == 0 ? static_cast<L2Hint>(rng.below(3)) : L2Hint::kNormal;
    REQUIRE(l2->access(access) == naive.access(access));
    REQUIRE(l2->used() == naive.used());
  }
  for (std::uint32_t consumer = 0; consumer < kOps; ++consumer) {
    for (std::uint32_t producer = 0; producer < kOps; ++producer) {
      CHECK(l2->reused(OpId{producer}, OpId{consumer}) == naive.reused[consumer * kOps + producer]);
    }
  }
}

}  // namespace

TEST_CASE("l2 pieces: LRU agrees with the number of each piece's last use, on any rectangles") {
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    for (const bool hints : {false, true}) {
      compare_with_naive({6, 5, 12, 1500, 6, 5, hints}, seed);
      compare_with_naive({40, 1, 25, 1500, 12, 1, hints}, seed);  // columns
      compare_with_naive({3, 30, 60, 1500, 1, 12, hints}, seed);  // bands
    }
  }
}

// The log begins with room for 1024 uses, and is looked through when it is full: often where little is kept
// of it, and with more than a half kept it grows.
TEST_CASE("l2 pieces: LRU agrees with the number of each piece's last use, however long its log becomes") {
  compare_with_naive({4, 3, 8, 12000, 1, 1, false}, 1);
  compare_with_naive({40, 30, 1100, 5000, 1, 1, false}, 2);
  compare_with_naive({40, 30, 1200, 5000, 3, 3, false}, 3);  // all fits
}
