#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/core/ids.h"
#include "sim/memory/l2/l2.h"

namespace a3sim {

// One bit for each sector of a piece's height.
using Sectors = unsigned __int128;
inline constexpr std::uint32_t kSectors = 128;

inline std::uint32_t count(Sectors sectors) {
  const auto half = [](std::uint64_t bits) {
    return ~bits ? static_cast<std::uint32_t>(std::popcount(bits)) : 64;
  };
  return half(static_cast<std::uint64_t>(sectors)) + half(static_cast<std::uint64_t>(sectors >> 64));
}

// The pieces first, first + stride, and so on.
struct PieceRun {
  std::uint32_t first, count = 1, stride = 1;

  template <class Visit>
  void each(Visit&& visit) const {
    for (std::uint32_t i = 0, piece = first; i < count; ++i, piece += stride) visit(piece);
  }
};

// The pieces of one tensor: bands of piece_rows, restarting at each part. A band has a piece for each 512
// bytes of its width, a part has a column for each.
class PieceGrid {
 public:
  // The first numbers of its pieces, bands and columns.
  struct First {
    std::uint32_t piece = 0, band = 0, column = 0;
  };
  PieceGrid(const L2Tensor& tensor, First first);

  std::uint32_t rows() const { return parts_.back().begin; }
  std::uint32_t row_bytes() const { return row_bytes_; }
  std::uint32_t cols() const { return cols_; }
  std::uint32_t bands() const { return parts_.back().first_band; }
  First end() const {
    return {first_.piece + bands() * cols_, first_.band + bands(), first_.column + parts() * cols_};
  }
  std::uint32_t parts() const { return static_cast<std::uint32_t>(parts_.size()) - 1; }

  // The rows of a band that an access touches: the band and its first piece, the number of rows, and the
  // sectors that contain them.
  struct Slice {
    std::uint32_t band;
    std::uint32_t first_piece;
    std::uint32_t rows;
    std::uint32_t sector_shift;  // a sector is 2^this rows
    std::uint32_t count;         // of sectors
    Sectors sectors;
  };

  // Calls visit(slice) for each band of the rows, in order. The rows must be within the tensor.
  template <class Visit>
  void slices(Rows rows, Visit&& visit) {
    while (rows.begin < rows.end) {
      const Part& part = part_of(rows.begin);
      const std::uint32_t part_end = std::min(rows.end, (&part)[1].begin), height = 1U << height_shift_;
      const std::uint32_t band = (rows.begin - part.begin) >> height_shift_;
      std::uint32_t band_begin = part.begin + (band << height_shift_);
      std::uint32_t number = first_.band + part.first_band + band;
      std::uint32_t first_piece = first_.piece + (part.first_band + band) * cols_;
      for (; rows.begin < part_end; band_begin += height, first_piece += cols_, ++number) {
        const std::uint32_t end = std::min(part_end, band_begin + height);
        const std::uint32_t low = (rows.begin - band_begin) >> sector_shift_;
        const std::uint32_t high = (end - 1 - band_begin) >> sector_shift_;
        const Sectors sectors = (~Sectors{0} >> (kSectors - 1 - high)) & (~Sectors{0} << low);
        visit(Slice{number, first_piece, end - rows.begin, sector_shift_, high - low + 1, sectors});
        rows.begin = end;
      }
    }
  }

  // Returns the bands that an access touches: the first, its first piece (that of the next band is cols()
  // further), their number, and the first column of their part if they are all of it, else kNone. Returns no
  // band if the rows are in several parts. The rows must be within the tensor, and not empty.
  struct Bands {
    std::uint32_t first, first_piece, count, first_column;
    bool all_rows = false;  // of the part
  };
  Bands bands_of(Rows rows) {
    const Part& part = part_of(rows.begin);
    if (rows.end > (&part)[1].begin) return {0, 0, 0, kNone};
    const std::uint32_t band = (rows.begin - part.begin) >> height_shift_;
    const std::uint32_t count = ((rows.end - 1 - part.begin) >> height_shift_) - band + 1;
    const bool all = count == (&part)[1].first_band - part.first_band;
    return {first_.band + part.first_band + band, first_.piece + (part.first_band + band) * cols_, count,
            all ? first_.column + static_cast<std::uint32_t>(last_) * cols_ : kNone,
            rows.begin == part.begin && rows.end == (&part)[1].begin};
  }

  // Calls visit(bands) for the bands of each part, in order.
  template <class Visit>
  void each_part(Visit&& visit) const {
    for (std::uint32_t part = 0; part < parts(); ++part) {
      const std::uint32_t band = parts_[part].first_band;
      visit(Bands{first_.band + band, first_.piece + band * cols_, parts_[part + 1].first_band - band,
                  first_.column + part * cols_});
    }
  }

  // Returns the bytes of a sector of a piece in column `col`. `lacking`: how many fewer the last sector of
  // its band has.
  struct SectorSizes {
    std::uint64_t bytes, lacking;
    std::uint8_t last;
    friend bool operator==(const SectorSizes&, const SectorSizes&) = default;
  };
  SectorSizes sector_sizes(std::uint32_t band, std::uint32_t col) const;
  // Returns the same for a whole band.
  SectorSizes sector_sizes(std::uint32_t band) const;

 private:
  SectorSizes sector_sizes_of(std::uint32_t band, std::uint64_t bytes) const;

  struct Part {
    std::uint32_t begin;  // row
    std::uint32_t first_band;
  };

  const Part& part_of(std::uint32_t row) {
    // Remembers the last part, since accesses come in runs within a part.
    if (row < parts_[last_].begin || row >= parts_[last_ + 1].begin) {
      const auto after = std::upper_bound(parts_.begin(), parts_.end() - 1, row,
                                          [](std::uint32_t r, const Part& part) { return r < part.begin; });
      last_ = static_cast<std::size_t>(after - parts_.begin()) - 1;
    }
    return parts_[last_];
  }

  First first_;
  std::uint32_t row_bytes_, cols_, height_shift_, sector_shift_;
  std::vector<Part> parts_;  // with an end
  std::size_t last_ = 0;
};

}  // namespace a3sim
