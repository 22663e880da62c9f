#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/memory/l2/piece_grid.h"
#include "sim/memory/l2/piece_states.h"

namespace a3sim {

// Maps pieces to bands, and to columns of parts, numbered across all grids.
struct PieceMap {
  struct Band {
    std::uint32_t first, cols, first_column;
  };
  struct Column {
    std::uint32_t first, bands, stride, part;
  };
  explicit PieceMap(std::span<const PieceGrid> grids);

  std::uint32_t pieces() const { return static_cast<std::uint32_t>(band_of.size()); }

  std::vector<Band> bands;
  std::vector<Column> columns;
  std::vector<std::uint32_t> band_of;  // by piece
  std::uint32_t parts = 0;
};

// Tracks the state of whole bands, and of whole columns of a part. Nearly all accesses are as wide as their
// tensor or as high as its part, and need not look at pieces then. Initially nothing is present.
class PieceBands {
 public:
  enum class State : std::uint8_t {
    kUniform,  // all pieces are in the band's state; their own states are invalid
    kWhole,    // all pieces are fully present, from the band's producer
    kSplit     // each piece has its own state
  };

  struct Band {
    Sectors present = 0, dirty = 0;       // kUniform: the state of every piece
    std::uint64_t sector_bytes, lacking;  // of all pieces; `lacking`: what the last sector has less
    std::uint32_t held = 0;               // pieces that are present at least in part
    std::uint16_t producer = 0;           // invalid for kSplit
    std::uint8_t last_sector;
    State state = State::kUniform;

    Sectors all() const { return ~Sectors{0} >> (kSectors - 1 - last_sector); }
    std::uint64_t bytes(Sectors which, std::uint32_t count) const {
      return count * sector_bytes - ((which >> last_sector & 1) ? lacking : 0);
    }
  };

  // Both arguments must outlive the bands.
  PieceBands(std::span<const PieceGrid> grids, const PieceMap& map, PieceStates& pieces);

  // Gives each piece of the band its own state. Call this before changing one of them.
  void split(std::uint32_t band) {
    if (bands_[band].state == State::kUniform) tell_pieces(band);
  }

  // Returns the band, as a whole if possible: kSplit only if its pieces differ.
  Band& visit(std::uint32_t number) {
    Band& band = bands_[number];
    if (band.state == State::kSplit) look_at_pieces(number);
    return band;
  }

  // True if a column is fully present from one producer, and that producer.
  struct Column {
    bool whole;
    std::uint16_t producer;
  };
  Column look_at_column(std::uint32_t number, std::uint32_t first_band) {
    const ColumnState& column = columns_[number];
    if (column.seen == parts_[map_.columns[number].part]) return {true, column.producer};
    return look_along(number, first_band);
  }

  // absent_along() returns whether nothing of a column is present; fill_column() fills such a column, as
  // clean.
  bool absent_along(std::uint32_t column, std::uint32_t first_band) const;
  void fill_column(std::uint32_t column, std::uint32_t first_band, OpId op);

  // Returns the bytes that are present of a band that is not split.
  std::uint64_t bytes(std::uint32_t number) const {
    const Band& band = bands_[number];
    const Sectors present = band.state == State::kUniform ? band.present : band.all();
    return band.bytes(present, count(present));
  }
  // bytes_before_last() returns the bytes that are present of a band that is not split, without its last
  // piece.
  bool is_split(std::uint32_t band) const { return bands_[band].state == State::kSplit; }
  std::uint64_t bytes_before_last(std::uint32_t band) const;
  // Makes the band absent and returns what it was.
  PieceStates::Cleared clear(std::uint32_t band);

  // Changes the producer of a uniform band.
  void rewritten(std::uint32_t band) {
    if (map_.bands[band].cols) ++parts_[map_.columns[map_.bands[band].first_column].part];
  }

  // Note a change of a piece whose band is split: the piece is no longer absent (in part; fully), it is
  // evicted, or `op` writes it.
  void inserted(std::uint32_t piece) { ++bands_[map_.band_of[piece]].held; }
  void brought(std::uint32_t piece) {
    inserted(piece);
    changed(piece, map_.band_of[piece]);
  }
  void erased(std::uint32_t piece, std::uint32_t band) {
    --bands_[band].held;
    changed(piece, band);
  }
  void written(std::uint32_t piece, OpId op) {
    if (pieces_.producer(piece) != index(op)) changed(piece, map_.band_of[piece]);
  }

 private:
  struct ColumnState {
    std::uint32_t seen = 0;  // count of its part when the column was last seen whole
    std::uint16_t producer = 0;
  };

  void changed(std::uint32_t piece, std::uint32_t number) {
    bands_[number].state = State::kSplit;
    const PieceMap::Band& band = map_.bands[number];
    columns_[band.first_column + piece - band.first].seen = 0;
  }
  void tell_pieces(std::uint32_t band);
  void look_at_pieces(std::uint32_t band);
  Column look_along(std::uint32_t column, std::uint32_t first_band);

  const PieceMap& map_;
  PieceStates& pieces_;
  std::vector<Band> bands_;
  std::vector<ColumnState> columns_;
  std::vector<std::uint32_t> parts_;  // by part: 1 + the number of times that bands were rewritten
};

}  // namespace a3sim
