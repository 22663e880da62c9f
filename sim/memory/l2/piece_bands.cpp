#include "sim/memory/l2/piece_bands.h"

namespace a3sim {

PieceMap::PieceMap(std::span<const PieceGrid> grids) {
  const PieceGrid::First end = grids.empty() ? PieceGrid::First{} : grids.back().end();
  bands.reserve(end.band);
  columns.reserve(end.column);
  band_of.reserve(end.piece);
  for (const PieceGrid& grid : grids) {
    const std::uint32_t cols = grid.cols();
    grid.each_part([&](const PieceGrid::Bands& part) {
      for (std::uint32_t i = 0; i < part.count; ++i) {
        bands.push_back({part.first_piece + i * cols, cols, part.first_column});
        band_of.insert(band_of.end(), cols, part.first + i);
      }
      for (std::uint32_t col = 0; col < cols; ++col) {
        columns.push_back({part.first_piece + col, part.count, cols, parts});
      }
      ++parts;
    });
  }
}

PieceBands::PieceBands(std::span<const PieceGrid> grids, const PieceMap& map, PieceStates& pieces)
    : map_(map), pieces_(pieces), columns_(map.columns.size()), parts_(map.parts, 1) {
  bands_.reserve(map.bands.size());
  for (const PieceGrid& grid : grids) {
    for (std::uint32_t i = 0; i < grid.bands(); ++i) {
      const PieceGrid::SectorSizes sizes = grid.sector_sizes(i);
      Band& band = bands_.emplace_back();
      band.sector_bytes = sizes.bytes;
      band.lacking = sizes.lacking;
      band.last_sector = sizes.last;
    }
  }
}

void PieceBands::tell_pieces(std::uint32_t number) {
  Band& band = bands_[number];
  const PieceMap::Band& place = map_.bands[number];
  // If nothing is present, the pieces already say so: a band becomes uniform when its last piece has gone.
  if (band.present) pieces_.set({place.first, place.cols, 1}, band.present, band.dirty, band.producer);
  band.state = band.present == band.all() ? State::kWhole : State::kSplit;
}

void PieceBands::look_at_pieces(std::uint32_t number) {
  Band& band = bands_[number];
  const PieceMap::Band& place = map_.bands[number];
  if (band.held == 0) {
    band.present = band.dirty = 0;
    band.state = State::kUniform;
  } else if (band.held == place.cols && pieces_.all_present_of_one({place.first, place.cols, 1})) {
    band.producer = static_cast<std::uint16_t>(pieces_.producer(place.first));
    band.state = State::kWhole;
  }
}

PieceBands::Column PieceBands::look_along(std::uint32_t number, std::uint32_t first_band) {
  const PieceMap::Column& column = map_.columns[number];
  std::uint32_t producer = kNone;
  for (std::uint32_t i = 0; i < column.bands; ++i) {
    const Band& band = bands_[first_band + i];
    const std::uint32_t piece = column.first + i * column.stride;
    const bool split = band.state == State::kSplit;
    if (split ? !pieces_.all_present(piece) : band.state == State::kUniform && band.present != band.all()) {
      return {false, 0};
    }
    const std::uint32_t candidate = split ? pieces_.producer(piece) : band.producer;
    if (producer != kNone && candidate != producer) return {false, 0};
    producer = candidate;
  }
  columns_[number] = {parts_[column.part], static_cast<std::uint16_t>(producer)};
  return {true, columns_[number].producer};
}

bool PieceBands::absent_along(std::uint32_t number, std::uint32_t first_band) const {
  const PieceMap::Column& column = map_.columns[number];
  for (std::uint32_t i = 0; i < column.bands; ++i) {
    const Band& band = bands_[first_band + i];
    if (band.state == State::kSplit ? pieces_.any_present(column.first + i * column.stride) : band.held > 0) {
      return false;
    }
  }
  return true;
}

void PieceBands::fill_column(std::uint32_t number, std::uint32_t first_band, OpId op) {
  const PieceMap::Column& column = map_.columns[number];
  const auto producer = static_cast<std::uint16_t>(index(op));
  for (std::uint32_t i = 0; i < column.bands; ++i) {
    const std::uint32_t piece = column.first + i * column.stride;
    split(first_band + i);
    ++bands_[first_band + i].held;
    pieces_.fill(piece, op, false);
  }
  columns_[number] = {parts_[column.part], producer};
}

PieceStates::Cleared PieceBands::clear(std::uint32_t number) {
  Band& band = bands_[number];
  PieceStates::Cleared all{};
  if (band.state == State::kUniform) {
    all = {band.bytes(band.present, count(band.present)), band.bytes(band.dirty, count(band.dirty))};
  } else {
    const PieceMap::Band& band = map_.bands[number];
    PieceRun{band.first, band.cols, 1}.each([&](std::uint32_t piece) {
      const PieceStates::Cleared cleared = pieces_.clear(piece);
      all.present_bytes += cleared.present_bytes;
      all.dirty_bytes += cleared.dirty_bytes;
    });
  }
  band.present = band.dirty = 0;
  band.held = 0;
  band.state = State::kUniform;
  rewritten(number);
  return all;
}

std::uint64_t PieceBands::bytes_before_last(std::uint32_t number) const {
  const Band& band = bands_[number];
  const PieceMap::Band& place = map_.bands[number];
  const Sectors present = band.state == State::kUniform ? band.present : band.all();
  const std::uint32_t sectors = count(present);
  return band.bytes(present, sectors) - pieces_.bytes(place.first + place.cols - 1, present, sectors);
}

}  // namespace a3sim
