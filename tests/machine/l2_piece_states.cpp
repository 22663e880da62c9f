#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/rng.h"
#include "sim/memory/l2/piece_states.h"

using namespace a3sim;

namespace {

// A piece as a list of its sectors, each of so many bytes.
struct NaivePiece {
  std::vector<std::uint64_t> sector_bytes;
  std::vector<bool> present, dirty;
  std::uint32_t producer = 0;
  bool persists = false;

  std::uint64_t bytes(const std::vector<bool>& sectors) const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < sectors.size(); ++i) bytes += sectors[i] ? sector_bytes[i] : 0;
    return bytes;
  }
};

bool all_of(const std::vector<bool>& bits) { return std::ranges::count(bits, false) == 0; }

Sectors sectors_of(const std::vector<bool>& bits) {
  Sectors sectors = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) sectors |= Sectors{bits[i]} << i;
  return sectors;
}

// All pieces of a tensor, band by band, row by row counted into its sector.
std::vector<NaivePiece> naive_pieces(const L2Tensor& tensor) {
  const std::uint32_t sector_rows = std::max(1U, tensor.piece_rows / kSectors);
  std::vector<std::uint32_t> begins = tensor.parts.empty() ? std::vector<std::uint32_t>{0} : tensor.parts;
  begins.push_back(tensor.rows);
  std::vector<NaivePiece> pieces;
  for (std::size_t part = 0; part + 1 < begins.size(); ++part) {
    for (std::uint32_t band = begins[part]; band < begins[part + 1]; band += tensor.piece_rows) {
      const std::uint32_t end = std::min(begins[part + 1], band + tensor.piece_rows);
      for (std::uint32_t byte = 0; byte < tensor.row_bytes; byte += kL2Line) {
        NaivePiece& piece = pieces.emplace_back();
        piece.sector_bytes.resize((end - band + sector_rows - 1) / sector_rows);
        for (std::uint32_t row = band; row < end; ++row) {
          piece.sector_bytes[(row - band) / sector_rows] += std::min(kL2Line, tensor.row_bytes - byte);
        }
        piece.present.resize(piece.sector_bytes.size());
        piece.dirty.resize(piece.sector_bytes.size());
      }
    }
  }
  return pieces;
}

const std::vector<L2Tensor> kGrids{{300, 3 * kL2Line, {}, 128},
                                   {77, 2 * kL2Line + 100, {0, 8, 31}, 8},
                                   {700, kL2Line + 256, {0, 257}, 256},
                                   {5, 64, {}, 1}};

void check_piece(const PieceStates& states, std::uint32_t p, const NaivePiece& piece) {
  const Sectors present = sectors_of(piece.present);
  REQUIRE(states.any_present(p) == (present != 0));
  REQUIRE(states.all_present(p) == all_of(piece.present));
  REQUIRE((states.present(p) == present));
  REQUIRE(states.all_dirty(p) == all_of(piece.dirty));
  REQUIRE(states.bytes(p, present, count(present)) == piece.bytes(piece.present));
  REQUIRE(states.producer(p) == piece.producer);
  REQUIRE(states.persists(p) == piece.persists);
}

// Adds a run of sectors to both: a half of the time all of them.
void add_sectors(Rng& rng, PieceStates& states, std::uint32_t p, NaivePiece& piece, bool dirty) {
  const auto sectors = static_cast<std::uint32_t>(piece.sector_bytes.size());
  const bool all = rng.below(2) == 0;
  const std::uint32_t begin = all ? 0 : rng.below(sectors);
  const std::uint32_t end = all ? sectors : begin + 1 + rng.below(sectors - begin);
  std::vector<bool> added(sectors);
  for (std::uint32_t i = begin; i < end; ++i) {
    added[i] = piece.present[i] = true;
    if (dirty) piece.dirty[i] = true;
  }
  states.add_present(p, sectors_of(added));
  if (dirty) states.add_dirty(p, sectors_of(added));
}

}  // namespace

TEST_CASE("l2 piece states: agree with pieces as lists of sectors, whatever is done to them") {
  std::vector<PieceGrid> grids;
  std::vector<NaivePiece> naive;
  for (const L2Tensor& tensor : kGrids) {
    grids.emplace_back(tensor, PieceGrid::First{static_cast<std::uint32_t>(naive.size())});
    const std::vector<NaivePiece> more = naive_pieces(tensor);
    naive.insert(naive.end(), more.begin(), more.end());
    REQUIRE(grids.back().end().piece == naive.size());
  }
  PieceStates states(grids);
  REQUIRE(states.size() == naive.size());
  for (std::uint32_t p = 0; p < naive.size(); ++p) check_piece(states, p, naive[p]);

  Rng rng(3);
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t p = rng.below(states.size());
    NaivePiece& piece = naive[p];
    const std::uint32_t what = rng.below(8);
    if (what < 5) add_sectors(rng, states, p, piece, what < 2);
    if (what == 5) {
      const PieceStates::Cleared cleared = states.clear(p);
      REQUIRE(cleared.present_bytes == piece.bytes(piece.present));
      REQUIRE(cleared.dirty_bytes == piece.bytes(piece.dirty));
      piece.present.assign(piece.present.size(), false);
      piece.dirty.assign(piece.dirty.size(), false);
      piece.persists = false;
    }
    if (what == 6) states.set_producer(p, OpId{piece.producer = rng.below(3)});
    if (what == 7) {
      states.set_persistent(p);
      piece.persists = true;
    }
    check_piece(states, p, piece);
  }
  for (std::uint32_t p = 0; p < naive.size(); ++p) check_piece(states, p, naive[p]);
}

TEST_CASE("l2 piece states: a run is one operator's as a whole if every piece is") {
  const std::vector<PieceGrid> grids{PieceGrid({8 * 40, kL2Line, {}, 8}, {})};
  PieceStates states(grids);
  const Sectors all = 0xFF;
  Rng rng(4);
  for (std::uint32_t p = 0; p < states.size(); ++p) {
    states.add_present(p, rng.below(8) == 0 ? Sectors{0x7F} : all);
    states.set_producer(p, OpId{rng.below(8) == 0 ? 1U : 2U});
  }
  std::uint32_t whole = 0;
  for (std::uint32_t first = 0; first < states.size(); ++first) {
    for (std::uint32_t stride = 1; stride < 4; ++stride) {
      bool expected = true;
      for (std::uint32_t count = 1; first + (count - 1) * stride < states.size(); ++count) {
        const std::uint32_t last = first + (count - 1) * stride;
        expected &= states.all_present(last) && states.producer(last) == states.producer(first);
        REQUIRE(states.all_present_of_one({first, count, stride}) == expected);
        whole += expected;
      }
    }
  }
  CHECK(whole > states.size());
}
