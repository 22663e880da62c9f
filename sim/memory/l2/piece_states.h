#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/memory/l2/piece_grid.h"

namespace a3sim {

// The state of each piece: which of its sectors are present, which are dirty, its producer, whether it
// persists. Initially nothing is present.
//
// An access visits hundreds of pieces, nearly all of them fully present. 8 bytes per piece tell that; the
// masks of sectors, 32 bytes, are read only for a piece that is present or dirty in part.
class PieceStates {
 public:
  // Takes the pieces of all grids, numbered consecutively.
  explicit PieceStates(std::span<const PieceGrid> grids);

  std::uint32_t size() const { return static_cast<std::uint32_t>(pieces_.size()); }

  bool any_present(std::uint32_t p) const { return pieces_[p].present != Held::kNothing; }
  bool all_present(std::uint32_t p) const { return pieces_[p].present == Held::kAll; }
  // Returns whether all of them are fully present and have the producer of the first one.
  bool all_present_of_one(const PieceRun& run) const {
    const std::uint32_t one = pieces_[run.first].producer;
    std::uint32_t other = 0;  // nearly always the answer is yes: no branch on each piece
    run.each([&](std::uint32_t p) {
      const Piece& piece = pieces_[p];
      other |= (piece.producer ^ one) | static_cast<std::uint32_t>(piece.present != Held::kAll);
    });
    return other == 0;
  }
  Sectors present(std::uint32_t p) const {
    return pieces_[p].present == Held::kPart ? masks_[p].present : all_or_none(p, pieces_[p].present);
  }
  void add_present(std::uint32_t p, Sectors sectors) {
    sectors |= present(p);
    pieces_[p].present = held(p, sectors);
    if (pieces_[p].present == Held::kPart) masks_[p].present = sectors;
  }

  bool all_dirty(std::uint32_t p) const { return pieces_[p].dirty == Held::kAll; }
  void add_dirty(std::uint32_t p, Sectors sectors) {
    sectors |= pieces_[p].dirty == Held::kPart ? masks_[p].dirty : all_or_none(p, pieces_[p].dirty);
    pieces_[p].dirty = held(p, sectors);
    if (pieces_[p].dirty == Held::kPart) masks_[p].dirty = sectors;
  }

  // Returns the bytes of the sectors of a piece that are set.
  std::uint64_t bytes(std::uint32_t p, Sectors which, std::uint32_t count) const {
    const PieceGrid::SectorSizes& sizes = shapes_[pieces_[p].shape].sizes;
    const std::uint64_t full = std::uint64_t{count} * sizes.bytes;
    return (which >> sizes.last & 1) ? full - sizes.lacking : full;
  }

  // Sets the pieces of a run, which have one height, to this state; none persists.
  void set(const PieceRun& run, Sectors present, Sectors dirty, std::uint16_t producer) {
    Piece as = pieces_[run.first];
    as.producer = producer;
    as.present = present ? held(run.first, present) : Held::kNothing;
    as.dirty = dirty ? held(run.first, dirty) : Held::kNothing;
    as.persist = false;
    run.each([&](std::uint32_t p) {
      as.shape = pieces_[p].shape;
      pieces_[p] = as;
    });
    if (as.present != Held::kPart && as.dirty != Held::kPart) return;
    run.each([&](std::uint32_t p) { masks_[p] = {present, dirty}; });
  }
  // Returns whether nothing of it is present, and these are all of its sectors.
  bool is_all_of_absent(std::uint32_t p, Sectors sectors) const {
    return pieces_[p].present == Held::kNothing && sectors == shapes_[pieces_[p].shape].all;
  }
  // Makes an absent piece fully present.
  void fill(std::uint32_t p, OpId producer, bool dirty) {
    pieces_[p].present = Held::kAll;
    pieces_[p].dirty = dirty ? Held::kAll : Held::kNothing;
    set_producer(p, producer);
  }
  // Returns the bytes of all of its sectors.
  std::uint64_t bytes(std::uint32_t p) const { return shapes_[pieces_[p].shape].all_bytes; }

  // Returns the bytes of those that are present.
  std::uint64_t present_bytes(std::uint32_t p) const {
    return bytes_held(p, pieces_[p].present, masks_[p].present);
  }

  // Clears the piece and returns what it was.
  struct Cleared {
    std::uint64_t present_bytes, dirty_bytes;
  };
  Cleared clear(std::uint32_t p) {
    Piece& piece = pieces_[p];
    const Cleared cleared{bytes_held(p, piece.present, masks_[p].present),
                          bytes_held(p, piece.dirty, masks_[p].dirty)};
    piece.present = piece.dirty = Held::kNothing;
    piece.persist = false;
    return cleared;
  }

  std::uint32_t producer(std::uint32_t p) const { return pieces_[p].producer; }
  void set_producer(std::uint32_t p, OpId op) { pieces_[p].producer = static_cast<std::uint16_t>(index(op)); }
  bool persists(std::uint32_t p) const { return pieces_[p].persist; }
  void set_persistent(std::uint32_t p) { pieces_[p].persist = true; }

 private:
  enum class Held : std::uint8_t { kNothing, kPart, kAll };

  struct Piece {
    std::uint32_t shape = 0;
    std::uint16_t producer = 0;
    Held present = Held::kNothing;
    Held dirty : 2 = Held::kNothing;
    bool persist : 1 = false;
  };
  static_assert(sizeof(Piece) == 8);

  // Sectors of a piece that is held in part; invalid for other pieces.
  struct Masks {
    Sectors present, dirty;
  };

  // Sizes of pieces of one shape.
  struct Shape {
    PieceGrid::SectorSizes sizes;
    Sectors all;
    std::uint64_t all_bytes;
  };

  // Bands of one height: their pieces.
  void add_bands(const PieceGrid& grid, std::uint32_t first, std::uint32_t bands);
  std::uint32_t shape_of(const PieceGrid::SectorSizes& sizes);
  Sectors all_or_none(std::uint32_t p, Held held) const {
    return held == Held::kAll ? shapes_[pieces_[p].shape].all : 0;
  }
  Held held(std::uint32_t p, Sectors sectors) const {
    return sectors == shapes_[pieces_[p].shape].all ? Held::kAll : Held::kPart;
  }
  std::uint64_t bytes_held(std::uint32_t p, Held held, const Sectors& part) const {
    if (held == Held::kPart) return bytes(p, part, count(part));
    return held == Held::kAll ? shapes_[pieces_[p].shape].all_bytes : 0;
  }

  std::vector<Shape> shapes_;
  std::vector<Piece> pieces_;
  std::unique_ptr<Masks[]> masks_;  // by piece
};

}  // namespace a3sim
