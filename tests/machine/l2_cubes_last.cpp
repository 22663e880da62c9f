#include <catch2/catch.hpp>
#include <vector>

#include "sim/memory/l2/policy_of.h"
#include "tests/machine/line_cache.h"
#include "tests/machine/piece_links.h"

using namespace a3sim;

// A policy that looks at who accesses, registered as any other: the tests of all policies run it, too.
namespace {

// What cubes wrote last is evicted last; among the rest, and among that, the least recently used goes first.
class CubesLastLines {
 public:
  CubesLastLines(const L2Spec&, std::uint32_t) {}

  void begin(const L2Access& access) {
    write_ = access.write;
    cube_ = access.unit == CoreUnit::kMatrix;
  }
  // A set's first plane: what cubes wrote.
  template <class Set>
  std::uint32_t hit(Set& set, std::uint32_t, std::uint32_t way) {
    const bool kept = write_ ? cube_ : (set.plane[0] & Set::bit(way)) != 0;
    return to_front(set, way, set.tags[way], kept);
  }
  template <class Set>
  std::uint32_t victim(const Set& set, std::uint32_t, typename Set::Mask candidates) {
    const typename Set::Mask others = candidates & ~set.plane[0];
    return static_cast<std::uint32_t>(std::bit_width(others ? others : candidates)) - 1;
  }
  template <class Set>
  std::uint32_t fill(Set& set, std::uint32_t, std::uint32_t way, std::uint16_t tag) {
    return to_front(set, way, tag, write_ && cube_);
  }

 private:
  template <class Set>
  static std::uint32_t to_front(Set& set, std::uint32_t way, std::uint16_t tag, bool kept) {
    set.to_front(way, tag);
    set.plane[0] = (Set::rotate(set.plane[0], way) & ~Set::bit(0)) | (kept ? Set::bit(0) : 0);
    return 0;
  }

  bool write_ = false, cube_ = false;
};

class CubesLastPieces {
 public:
  CubesLastPieces(const L2Spec&, std::uint32_t pieces) : queues_(pieces, 2), of_cubes_(pieces) {}

  void begin(const L2Access& access) {
    write_ = access.write;
    cube_ = access.unit == CoreUnit::kMatrix;
  }
  void insert(std::uint32_t piece) {
    of_cubes_[piece] = write_ && cube_;
    queues_.push_back(of_cubes_[piece], piece);
  }
  void hit(const PieceRun& run) {
    run.each([&](std::uint32_t piece) { extend(piece); });
  }
  void extend(std::uint32_t piece) {
    queues_.remove(piece);
    if (write_) of_cubes_[piece] = cube_;
    queues_.push_back(of_cubes_[piece], piece);
  }
  void erase(std::uint32_t piece) { queues_.remove(piece); }
  std::uint32_t victim(std::uint32_t) {
    const std::uint32_t other = queues_.front(0);
    return other != kNone ? other : queues_.front(1);
  }

 private:
  PieceLinks queues_;  // what cubes wrote stands in the second
  std::vector<bool> of_cubes_;
  bool write_ = false, cube_ = false;
};

using CubesLast = L2PolicyOf<CubesLastLines, CubesLastPieces>;
A3SIM_REGISTER(L2Policy, "cubes-last", "what cubes wrote is evicted last", CubesLast);

L2Access row_access(std::uint32_t row, CoreUnit unit, bool write) {
  return {.tensor = TensorId{0}, .rows = {row, row + 1}, .byte_end = kL2Line, .write = write, .unit = unit};
}

// What is left of three written lines after vectors have read `scanned` others, of a capacity of eight.
std::uint32_t lines_left(L2& l2, std::uint32_t scanned, CoreUnit writer) {
  constexpr std::uint32_t kWritten = 3;
  for (std::uint32_t row = 0; row < kWritten; ++row) l2.access(row_access(row, writer, true));
  for (std::uint32_t row = 0; row < scanned; ++row)
    l2.access(row_access(kWritten + row, CoreUnit::kVector, false));
  std::uint64_t hits = 0;
  for (std::uint32_t row = 0; row < kWritten; ++row)
    hits += l2.access(row_access(row, CoreUnit::kVector, false)).read.hit;
  return static_cast<std::uint32_t>(hits / kPerLine);
}

}  // namespace

TEST_CASE("l2 policies: a policy may keep what cubes wrote and let go of what vectors wrote") {
  constexpr std::uint32_t kLines = 8, kScanned = 100;
  const std::vector<L2Tensor> tensors{{.rows = 200, .row_bytes = kL2Line, .parts = {}, .piece_rows = 1}};
  const L2Spec spec = spec_of("cubes-last", kLines, 1);
  const auto make = [&](bool lines) -> std::unique_ptr<L2> {
    if (lines) return make_line_l2(spec, tensors, 1);
    return make_piece_l2(spec, tensors, 1);
  };
  for (const bool lines : {true, false}) {
    INFO((lines ? "lines" : "pieces"));
    CHECK(lines_left(*make(lines), kScanned, CoreUnit::kMatrix) == 3);
    CHECK(lines_left(*make(lines), kScanned, CoreUnit::kVector) == 0);
    // A vector that writes over a cube's line takes it from those that are kept.
    const auto l2 = make(lines);
    for (std::uint32_t row = 0; row < 3; ++row) l2->access(row_access(row, CoreUnit::kMatrix, true));
    CHECK(lines_left(*l2, kScanned, CoreUnit::kVector) == 0);
  }
}
